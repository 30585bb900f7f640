workloads_SRC := access asker compress page page_content workloads
workloads_TEST := asker_test compress_test page_test
workloads_NEEDS := lib ciphers protocols
workloads_PKG := zlib $(if $(WITH_BROTLI),libbrotlienc) $(if $(WITH_ZSTD),libzstd)
workloads_TEST_PKG := jansson $(if $(WITH_BROTLI),libbrotlidec)
