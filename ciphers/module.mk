ciphers_SRC :=
ciphers_TEST :=
ciphers_NEEDS := lib
ciphers_PKG := $(if $(WITH_OPENSSL),openssl) $(if $(WITH_WOLFSSL),wolfssl) jansson
