ciphers_SRC := alpn assoc cipher cipher_rows cmd_suites credential credential_rows engine_null \
	engines facts group_rows message params probe psk psk_file session_cache suite wire \
	$(if $(WITH_OPENSSL),credential_x509 engine_openssl openssl_domain openssl_facts openssl_fail \
	openssl_identity openssl_key openssl_lean openssl_memory openssl_observe openssl_session) \
	$(if $(WITH_WOLFSSL),engine_wolfssl wolfssl_domain wolfssl_facts wolfssl_fail wolfssl_key \
	wolfssl_group wolfssl_identity wolfssl_observe wolfssl_session)
ciphers_TEST := facts_test psk_file_test session_cache_test suite_test wire_test $(if $(WITH_OPENSSL),alpn_test assoc_end_test assoc_test \
	cmd_suites_test credential_test engine_abuse_test engine_dry_test engine_peer_test engine_test \
	openssl_catalogue_test openssl_resume_test session_test \
	early_test identity_test)
ciphers_NEEDS := lib
ciphers_PKG := $(if $(WITH_OPENSSL),openssl) $(if $(WITH_WOLFSSL),wolfssl) jansson
# Primitives and their speed.
ciphers_SRC += primitive speed speed_limit speed_mix speed_stat \
	$(if $(WITH_OPENSSL),openssl_bulk openssl_digest openssl_exchange openssl_primitives \
		openssl_signature) \
	$(if $(WITH_WOLFSSL),wolfssl_bulk wolfssl_dh wolfssl_digest wolfssl_ec wolfssl_edwards \
		wolfssl_montgomery wolfssl_primitives wolfssl_rsa)
ciphers_PKG += m
ciphers_TEST += primitive_test speed_test speed_limit_test
# Datagrams.
ciphers_SRC += dtls_record $(if $(WITH_OPENSSL),openssl_datagram openssl_listen) $(if $(WITH_WOLFSSL),wolfssl_datagram wolfssl_listen)
ciphers_TEST += dtls_record_test $(if $(WITH_OPENSSL),dtls_test dtls_attack_test)
# Secured objects.
ciphers_SRC += $(if $(WITH_OPENSSL),openssl_object openssl_trust)
ciphers_TEST += $(if $(WITH_OPENSSL),object_crypto_test openssl_memory_test)
ciphers_SRC += $(if $(WITH_OPENSSL),openssl_record,record_key)
