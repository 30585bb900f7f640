workloads_SRC := access asker compress page page_content workloads
workloads_TEST := asker_test compress_test page_test
workloads_NEEDS := lib ciphers protocols
workloads_PKG := zlib $(if $(WITH_BROTLI),libbrotlienc) $(if $(WITH_ZSTD),libzstd)
workloads_TEST_PKG := jansson $(if $(WITH_BROTLI),libbrotlidec)
workloads_SRC += access_builtin access_cbor access_codec access_compile access_condition access_decide \
	access_index access_json access_message access_when cbor_item access_asker access_db \
	access_decider access_people access_shared access_users access_workload audit audit_read nonces
workloads_TEST += access_codec_test access_errors_test access_naive_test access_policy_test access_table_test \
	access_users_test access_workload_test audit_test nonces_test
workloads_PKG += jansson libcbor pthread sqlite3
# Secured messages: as SOAP, as COSE. Whatever there is of them is one workload.
WITH_MESSAGES := $(WITH_XMLSEC)$(WITH_CBOR)
workloads_SRC += message_json message_stages \
	$(if $(WITH_MESSAGES),cmd_message message message_asker message_bench message_exchange \
		message_keys message_replay message_table message_workload) \
	$(if $(WITH_CBOR),cose cose_read message_cose) \
	$(if $(WITH_XMLSEC),xml_document xml_party xml_read xml_secure xml_shape \
		xml_timer xml_token)
workloads_TEST += $(if $(WITH_CBOR),cose_test) $(if $(WITH_XMLSEC),xml_attack_test xml_document_test) \
	$(if $(WITH_MESSAGES),cmd_message_test) $(if $(WITH_XMLSEC),message_workload_test) \
	$(if $(WITH_XMLSEC),$(if $(WITH_CBOR),message_cose_test message_fuzz_test message_test))
workloads_FIXTURE += $(if $(WITH_MESSAGES),message_testing)
workloads_PKG += pthread $(if $(WITH_XMLSEC),xmlsec1-openssl) $(if $(WITH_CBOR),libcbor)
