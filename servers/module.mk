servers_SRC :=
servers_TEST :=
servers_NEEDS := lib ciphers protocols workloads
servers_PKG := jansson pthread
