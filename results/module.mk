results_SRC :=
results_TEST :=
results_NEEDS := lib
results_PKG := sqlite3 jansson gsl m
