# main.c is linked into the program alone, so it is in no archive.
testbed_SRC := phase plan plan_axis plan_cell plan_cells plan_json plan_nodes plan_print plan_read plan_suites plan_until \
	setting setting_rows
testbed_TEST := phase_test setting_test plan_settings_test plan_class_test plan_test plan_refused_test plan_order_test plan_servers_test plan_fuzz_test
testbed_NEEDS := lib ciphers protocols power capture solar results workloads servers clients
testbed_PKG := jansson sqlite3 m pthread
testbed_SRC += cmd_node cmd_run cmd_run_plan cmd_run_report environment node node_adapter \
	node_child node_collect node_limit node_prepare node_secret node_usage progress rpc runner runner_clock \
	runner_energy runner_fill runner_fill_driver runner_judge runner_limit runner_nodes runner_place runner_request \
	runner_store runner_trial runner_until
testbed_TEST += environment_test node_child_test node_secret_test node_test node_usage_test node_wire_test progress_test rpc_test \
	runner_clock_test runner_energy_test runner_judge_test runner_lost_test runner_test runner_until_test
testbed_SRC += cmd_speed cmd_speed_json cmd_speed_meter cmd_speed_print
testbed_TEST += $(if $(WITH_OPENSSL),$(if $(WITH_WOLFSSL),cmd_speed_test))
testbed_SRC += cmd_choose choose_config choose_suite
testbed_TEST += $(if $(WITH_MESSAGES),message_study_test)
# What passes on the wire, and inside the client.
testbed_SRC += node_timeline runner_timeline wire_sample wire_sample_json
testbed_TEST += runner_timeline_test wire_sample_test $(if $(WITH_OPENSSL),observer_test)
# What would spoil a measurement.
testbed_SRC += checkup checkup_cpu checkup_load checkup_power checkup_system checkup_watch cmd_doctor
testbed_TEST += checkup_test
