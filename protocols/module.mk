protocols_SRC := url coap coap_answer coap_ask coap_client coap_core coap_endpoint coap_etag coap_exchange coap_fields \
	coap_memory coap_names coap_open coap_request coap_rest coap_server \
	coap_tcp coap_tcp_client coap_tcp_feed coap_tcp_frame coap_tcp_server coap_tcp_signal \
	http1 http1_chunks http1_client http1_fields http1_parse http1_server \
	http2 http2_client http2_server http2_session http2_stream http_request
protocols_TEST := url_test \
	coap_block_test coap_client_test coap_etag_test coap_fields_test coap_fuzz_test coap_link_test \
	coap_observe_test coap_rest_test coap_server_test \
	coap_tcp_early_test coap_tcp_pair_test coap_tcp_test coap_test \
	http1_answer_test http1_client_test http1_fuzz_test http1_server_test \
	http2_client_test http2_end_test http2_fuzz_test http2_head_test \
	http2_server_test http2_test
protocols_NEEDS := lib
protocols_PKG := libnghttp2
