clients_SRC :=
clients_TEST :=
clients_NEEDS := lib ciphers protocols
clients_PKG := jansson zlib pthread
