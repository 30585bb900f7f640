clients_SRC := arrival body cmd_load load load_json load_result load_setup load_text peer peer_exchange
clients_TEST := arrival_test body_test load_check_test load_result_test load_test \
	load_window_test peer_test
clients_NEEDS := lib ciphers protocols
clients_PKG := jansson zlib pthread
