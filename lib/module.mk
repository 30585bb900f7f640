lib_SRC := affinity buf clock command fail hist log loop opt path proc rng table units usage version
lib_TEST := affinity_test buf_test hist_test loop_test opt_test path_test proc_test rng_test table_test \
	units_test usage_test
lib_NEEDS :=
lib_PKG := ev m
