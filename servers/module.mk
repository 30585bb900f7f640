servers_SRC := bound cmd_serve cmd_serve_params conn conn_serve listen pool serve_json serve_loop \
	serve_other serve_own server worker \
	adapter adapter_answers adapter_apache adapter_haproxy adapter_lighttpd adapter_nginx adapter_plain \
	adapter_ports adapter_run adapter_s_server adapter_words
servers_TEST := adapter_config_test adapter_test cmd_serve_test server_flight_test server_http2_test \
	server_limits_test server_memory_test server_rude_test server_test server_tls_test
servers_NEEDS := lib ciphers protocols workloads
servers_PKG := jansson pthread
# Datagrams.
servers_SRC += dgram dgram_coap dgram_listen dgram_peer dgram_socket dgram_table
servers_TEST += coap_count_test dgram_table_test $(if $(WITH_OPENSSL),dgram_test)
# Access control.
servers_SRC += serve_access
