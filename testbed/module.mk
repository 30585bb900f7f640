# main.c is linked into the program alone, so it is in no archive.
testbed_SRC := phase
testbed_TEST := phase_test
testbed_NEEDS := lib ciphers protocols power capture results workloads servers clients
testbed_PKG := libfyaml jansson sqlite3
