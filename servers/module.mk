servers_SRC := conn conn_serve listen server worker
servers_TEST := server_test
servers_NEEDS := lib ciphers protocols workloads
servers_PKG := jansson pthread
