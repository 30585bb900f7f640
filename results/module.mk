results_SRC := adaptive cmd_compare cmd_report cmd_solar cmd_solar_options compare compare_print figure html_text normal record report report_budget report_charts report_compare report_csv \
	report_front report_grid report_html report_influx report_json report_line report_markdown report_ndjson \
	report_notes report_number report_plot report_power report_prometheus report_schema report_servers report_style report_sweep report_tables report_text report_timeline report_timeline_lanes report_trace report_tree report_words \
	stats stats_boot stats_compare stats_rank stats_series store store_each store_inspect store_read store_schema store_timeline store_write \
	$(if $(WITH_GSL),student_gsl,student_own) summary summary_fields summary_finish svg svg_plot threshold pick role report_solar choose choose_print choose_value solar_design solar_json solar_profile solar_text
results_TEST := figure_test record_test report_html_test report_servers_test report_test report_text_test stats_test \
	stats_boot_test stats_compare_test stats_rank_test stats_series_test \
	store_damage_test store_loss_test store_share_test store_test student_test summary_test svg_test svg_plot_test report_plots_test report_trace_test report_formats_test threshold_test adaptive_test compare_test solar_design_test solar_print_test solar_profile_test choose_test choose_print_test
results_SRC += report_driver report_limit report_settings report_reference report_reference_write report_until summary_limit
results_TEST += old_database_test report_limit_test report_timeline_test report_reference_test
results_FIXTURE := fixture fixture_schema fixture_store fixture_xml
results_NEEDS := lib solar power
results_PKG := sqlite3 jansson $(if $(WITH_GSL),gsl) m
# The live page.
results_SRC += cmd_watch store_claim watch_answer watch_cells watch_feed watch_listen watch_look watch_page \
	watch_parts watch_request watch_view $(if $(WITH_MICROHTTPD),watch_library watch_serve,watch_none)
results_TEST += watch_feed_test $(if $(WITH_MICROHTTPD),watch_library_test) watch_look_test watch_page_test watch_request_test watch_view_test
results_PKG += $(if $(WITH_MICROHTTPD),libmicrohttpd)
results_SRC += reference reference/access_control reference/californium reference/gateway \
	reference/message_security
results_TEST += reference_test
