lib_SRC := affinity base64 buf clock command fail hist hist_code log loop net opt opt_help \
	opt_value path path_write proc proc_lines rng table units units_format usage version
lib_TEST := affinity_test base64_test hist_test net_test opt_test proc_test units_test
lib_NEEDS :=
lib_PKG := ev m
