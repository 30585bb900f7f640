servers_SRC := cmd_serve conn conn_serve listen serve_json serve_loop server worker
servers_TEST := cmd_serve_test server_limits_test server_rude_test server_test server_tls_test
servers_NEEDS := lib ciphers protocols workloads
servers_PKG := jansson pthread
