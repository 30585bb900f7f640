capture_SRC := chart cmd_timeline coap_seen connection decrypt dtls dtls_fragments file file_pcapng handshake hello ip keylog link \
	$(if $(WITH_PCAP),pcap_live,pcap_none) report_csv report_json report_text shares ssl2 stream \
	suite_name tally tcp timeline tls
capture_TEST := cases_test fuzz_test keylog_test oracle_test units_test $(if $(WITH_OPENSSL),decrypt_test)
capture_FIXTURE := $(if $(WITH_OPENSSL),talk)
capture_NEEDS := lib ciphers protocols
capture_PKG := jansson m $(if $(WITH_PCAP),libpcap)
