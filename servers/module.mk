servers_SRC := conn conn_serve listen server worker
servers_TEST :=
servers_NEEDS := lib ciphers protocols workloads
servers_PKG := jansson pthread
