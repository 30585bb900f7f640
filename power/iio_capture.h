/* SPDX-License-Identifier: Apache-2.0 */
/*
 * iio_capture - buffered capture of an IIO device's shunt and bus voltage, with the kernel's
 * own stamps, through libiio. Built without libiio it only says so.
 */
#ifndef POWER_IIO_CAPTURE_H
#define POWER_IIO_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/fail.h"

struct iio_capture;

/* device: "iio:device0". period_ns sizes the blocks. NULL: the reason in f. */
struct iio_capture *iio_capture_open(const char *device, int64_t period_ns, struct fail *f);
/*
 * The next sample: codes of the shunt (signed, whatever the driver says) and of the bus, and
 * its CLOCK_MONOTONIC stamp. Waits for one. 0, or -errno.
 */
int iio_capture_next(struct iio_capture *c, int64_t *shunt, int64_t *bus, int64_t *at_ns);
void iio_capture_close(struct iio_capture *c);

/* Built with libiio. */
extern const bool iio_capture_built;

#endif
