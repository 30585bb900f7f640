results_SRC := fixture fixture_store record stats store store_each store_inspect store_read store_schema store_write summary summary_fields
results_TEST := record_test stats_test store_damage_test store_loss_test store_test summary_test
results_NEEDS := lib
results_PKG := sqlite3 jansson gsl m
