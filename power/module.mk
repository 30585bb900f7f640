power_SRC := args board calibrate cmd_power cmd_power_calibrate cmd_power_measure convert energy energy_error energy_plain exec_line i2c_dev i2c_sim idle \
	iio_capture ina219 ina2xx_chip ina2xx_identify ina2xx_plan ina2xx_read load_model meter \
	meter_exec meter_hwmon meter_iio meter_ina2xx meter_pmic meter_psu meter_rapl meter_replay meter_wave model \
	power_csv power_live power_report power_session replay_binary replay_cells replay_dialect replay_guess replay_number \
	replay_options replay_plan replay_rows replay_serial replay_settle replay_text sampler segment \
	sibling_vectors sim_meter sysfs timebase trace trace_code trace_file trace_pack trace_window vectors watched wave wide
power_TEST := calibrate_test cmd_power_source_test cmd_power_test convert_test energy_plain_test energy_test energy_trial_test gap_test i2c_sim_test idle_test \
	ina219_test ina2xx_read_test ina2xx_fault_test ina2xx_test meter_ina2xx_test meter_rapl_test model_test oracle_test pmic_test replay_file_test \
	replay_fuzz_test replay_number_test replay_shape_test replay_test sampler_test sysfs_test trace_file_test trace_test wave_test wide_test
power_NEEDS := lib
power_PKG := i2c jansson zlib m pthread $(if $(WITH_IIO),libiio)
