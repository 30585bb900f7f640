protocols_SRC :=
protocols_TEST :=
protocols_NEEDS := lib
protocols_PKG :=
