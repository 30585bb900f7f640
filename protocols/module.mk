protocols_SRC := url
protocols_TEST := url_test
protocols_NEEDS := lib
protocols_PKG :=
