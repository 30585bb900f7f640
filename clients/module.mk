clients_SRC := arrival body load load_result load_setup peer peer_exchange
clients_TEST := arrival_test body_test load_test
clients_NEEDS := lib ciphers protocols
clients_PKG := jansson zlib pthread
