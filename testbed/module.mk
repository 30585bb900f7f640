# main.c is linked into the program alone, so it is in no archive.
testbed_SRC := phase plan plan_axis plan_cells plan_print plan_read plan_suites yaml yaml_check yaml_error
testbed_TEST := phase_test
testbed_NEEDS := lib ciphers protocols power capture results workloads servers clients
testbed_PKG := libfyaml jansson sqlite3
