capture_SRC := coap connection dtls dtls_fragments file file_pcapng handshake hello ip link shares ssl2 stream \
	suite_name tcp timeline tls
capture_TEST := oracle_test
capture_NEEDS := lib
capture_PKG := jansson
