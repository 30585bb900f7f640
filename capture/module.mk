capture_SRC :=
capture_TEST :=
capture_NEEDS := lib
capture_PKG :=
