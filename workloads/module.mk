workloads_SRC :=
workloads_TEST :=
workloads_NEEDS := lib ciphers protocols
workloads_PKG := zlib
