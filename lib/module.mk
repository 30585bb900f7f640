lib_SRC := buf clock fail hist hist_code log loop path path_write proc proc_lines rng table \
	units units_format usage version
lib_TEST :=
lib_NEEDS :=
lib_PKG := ev m
lib_SRC += base64 net
lib_TEST += base64_test net_test
