lib_SRC := affinity base64 blocks buf calendar clock command fail hex hist hist_code lex log loop net opt opt_help \
	opt_value path path_write proc proc_lines rng table timers udp_stat units units_format usage version yaml yaml_check yaml_error
lib_TEST := affinity_test base64_test blocks_test buf_test calendar_test clock_test command_test fail_test hex_test hist_code_test hist_test lex_test \
	loop_test loop_timer_test net_test opt_test path_test proc_test rng_test table_test \
	timers_test udp_stat_test units_format_test units_test usage_test yaml_check_test yaml_test
lib_NEEDS :=
lib_PKG := ev libfyaml m
