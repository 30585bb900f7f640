ciphers_SRC := assoc cipher credential engine_null engines facts probe suite wire \
	$(if $(WITH_OPENSSL),credential_x509 engine_openssl openssl_domain openssl_facts openssl_fail) \
	$(if $(WITH_WOLFSSL),engine_wolfssl wolfssl_domain wolfssl_facts wolfssl_fail wolfssl_key)
ciphers_TEST := suite_test wire_test engine_test $(if $(WITH_OPENSSL),openssl_catalogue_test)
ciphers_NEEDS := lib
ciphers_PKG := $(if $(WITH_OPENSSL),openssl) $(if $(WITH_WOLFSSL),wolfssl) jansson
