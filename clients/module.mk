clients_SRC := arrival body bucket cmd_load cmd_load_datagrams cmd_load_find cmd_load_needs cmd_load_options cmd_load_params \
	connection dgram_exchange dgram_link dgram_peer dgram_setup driver driver_ab driver_h2load \
	driver_json driver_text driver_wrk fairness find_runs load_check load_gate load_issue load_json load_json_asked \
	load_json_datagrams load_result load_setup load_tally load_team load_text load_worker peer \
	peer_connect peer_ask peer_exchange peer_pace peer_session peer_streams question rate_finder slots stamps
clients_TEST := arrival_test body_test bucket_test dgram_dtls_test dgram_test driver_read_test driver_test fairness_test find_runs_test load_check_test \
	load_open_test load_pace_test load_result_test load_streams_test load_test load_window_test peer_test question_test rate_finder_test slots_test
clients_NEEDS := lib ciphers protocols workloads
clients_PKG := jansson zlib $(if $(WITH_BROTLI),libbrotlidec) $(if $(WITH_ZSTD),libzstd) m pthread
clients_TEST_PKG := $(if $(WITH_BROTLI),libbrotlienc)
