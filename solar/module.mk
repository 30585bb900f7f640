solar_SRC := load_profile panel simulate sizing solar_case sun weather weather_check weather_epw weather_hourly weather_nsrdb weather_pvgis \
	weather_pvgis_json weather_settle weather_station weather_table weather_time
solar_TEST := reference_test simulate_test weather_files_test weather_formats_test weather_test
solar_NEEDS := lib
solar_PKG := jansson m
