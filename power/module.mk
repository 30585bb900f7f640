power_SRC :=
power_TEST :=
power_NEEDS := lib
power_PKG := i2c jansson zlib m pthread
