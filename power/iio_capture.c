/* SPDX-License-Identifier: Apache-2.0 */
/*
 * iio_capture - the only file that knows libiio. It must not convert codes.
 *
 * The driver declares the shunt voltage as unsigned, though it is not: its sign is restored
 * here. Stamps are taken by the driver before it waits for the conversion, so they are up to
 * one conversion early, all alike.
 */
#include "power/iio_capture.h"

#include <errno.h>
#include <stddef.h>

#ifdef WITH_IIO
#include <iio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"

#define BLOCK_NS   (50 * NS_PER_MS)
#define BLOCK_MOST 256
#define WAIT_MS    1000

const bool iio_capture_built = true;

struct iio_capture {
	struct iio_context *context;
	struct iio_device *device;
	struct iio_channel *shunt, *bus, *stamp;
	struct iio_buffer *buffer;
	const char *at, *end; /* unread samples of the block */
};

static int enable(struct iio_capture *c, const char *device, struct fail *f)
{
	int err;

	c->device = iio_context_find_device(c->context, device);
	if (c->device == NULL)
		return fail_set(f, ENODEV, "libiio does not find %s", device);
	c->shunt = iio_device_find_channel(c->device, "voltage0", false);
	c->bus = iio_device_find_channel(c->device, "voltage1", false);
	c->stamp = iio_device_find_channel(c->device, "timestamp", false);
	if (c->shunt == NULL || c->bus == NULL || c->stamp == NULL)
		return fail_set(f, ENODEV,
				"%s has no voltage0, voltage1 and timestamp to capture: is it an "
				"ina2xx?",
				device);
	err = (int)iio_device_attr_write(c->device, "current_timestamp_clock", "monotonic");
	if (err < 0)
		return fail_set(f, -err, "%s: cannot choose the monotonic clock for stamps: %s",
				device, strerror(-err));
	for (unsigned i = 0; i < iio_device_get_channels_count(c->device); i++)
		iio_channel_disable(iio_device_get_channel(c->device, i));
	iio_channel_enable(c->shunt);
	iio_channel_enable(c->bus);
	iio_channel_enable(c->stamp);
	return 0;
}

struct iio_capture *iio_capture_open(const char *device, int64_t period_ns, struct fail *f)
{
	struct iio_capture *c = calloc(1, sizeof *c);
	int64_t block = period_ns > 0 ? BLOCK_NS / period_ns : 1;

	if (c == NULL) {
		fail_set(f, ENOMEM, "no memory");
		return NULL;
	}
	c->context = iio_create_local_context();
	if (c->context == NULL) {
		fail_set(f, errno, "libiio finds no IIO device: %s", strerror(errno));
		goto out;
	}
	iio_context_set_timeout(c->context, WAIT_MS);
	if (enable(c, device, f) != 0)
		goto out;
	block = block < 1 ? 1 : block > BLOCK_MOST ? BLOCK_MOST : block;
	c->buffer = iio_device_create_buffer(c->device, (size_t)block, false);
	if (c->buffer != NULL)
		return c;
	fail_set(f, errno,
		 "cannot capture from /dev/%s: %s; needs to be root, and nobody else may capture",
		 device, strerror(errno));
out:
	iio_capture_close(c);
	return NULL;
}

static int64_t field(const char *src, const struct iio_data_format *format, bool is_signed)
{
	int unused = 64 - (int)format->bits;
	uint64_t raw = 0;

	memcpy(&raw, src, format->length / 8);
	if (format->is_be)
		raw = __builtin_bswap64(raw) >> (64 - format->length);
	raw = raw >> format->shift << unused;
	return is_signed ? (int64_t)raw >> unused : (int64_t)(raw >> unused);
}

static const char *place(const struct iio_capture *c, const struct iio_channel *channel)
{
	return c->at + ((const char *)iio_buffer_first(c->buffer, channel) -
			(const char *)iio_buffer_start(c->buffer));
}

int iio_capture_next(struct iio_capture *c, int64_t *shunt, int64_t *bus, int64_t *at_ns)
{
	if (c->at == c->end) {
		ssize_t got = iio_buffer_refill(c->buffer);

		if (got < 0)
			return (int)got;
		c->at = iio_buffer_start(c->buffer);
		c->end = iio_buffer_end(c->buffer);
		if (c->at == c->end)
			return -EAGAIN;
	}
	*shunt = field(place(c, c->shunt), iio_channel_get_data_format(c->shunt), true);
	*bus = field(place(c, c->bus), iio_channel_get_data_format(c->bus), false);
	*at_ns = field(place(c, c->stamp), iio_channel_get_data_format(c->stamp), true);
	c->at += iio_buffer_step(c->buffer);
	return 0;
}

void iio_capture_close(struct iio_capture *c)
{
	if (c == NULL)
		return;
	if (c->buffer != NULL)
		iio_buffer_destroy(c->buffer);
	if (c->context != NULL)
		iio_context_destroy(c->context);
	free(c);
}

#else

const bool iio_capture_built = false;

struct iio_capture *iio_capture_open(const char *device, int64_t period_ns, struct fail *f)
{
	(void)period_ns;
	fail_set(f, ENOTSUP, "%s: this program was built without libiio; use mode=sysfs", device);
	return NULL;
}

int iio_capture_next(struct iio_capture *c, int64_t *shunt, int64_t *bus, int64_t *at_ns)
{
	(void)c, (void)shunt, (void)bus, (void)at_ns;
	return -ENOTSUP;
}

void iio_capture_close(struct iio_capture *c)
{
	(void)c;
}

#endif
