workloads_SRC := page page_content workloads
workloads_TEST := page_test
workloads_NEEDS := lib ciphers protocols
workloads_PKG := zlib
workloads_TEST_PKG := jansson
