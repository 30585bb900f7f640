/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_coap - what `make bench-coap` cannot do in a shell: a flood of ClientHellos without a
 * cookie, each from an address and port of its own within 127.0.0.0/8.
 *
 * A program of its own, never linked into cipherwatt. Usage: bench_coap flood PORT COUNT
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/rng.h"
#include "lib/units.h"

#define RANDOM_AT 27

/* Of DTLS 1.2, for PSK-AES128-CCM8, as small as may be. */
static uint8_t hello[] = {
	22,
	0xfe,
	0xff,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	56, /* record */
	1,
	0,
	0,
	44,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	44, /* handshake */
	0xfe,
	0xfd,
	[RANDOM_AT] = 0,
	[RANDOM_AT + 31] = 0, /* version, random */
	0,
	0, /* no session, no cookie */
	0,
	4,
	0xc0,
	0xa8,
	0,
	0xff,
	1,
	0, /* suites, compression */
};

static int send_one(const struct sockaddr_in *to, struct rng *rng)
{
	struct sockaddr_in from = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), sent = 0;

	from.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1 + (uint32_t)rng_below(rng, 1 << 20));
	for (int i = 0; i < 32; i++)
		hello[RANDOM_AT + i] = (uint8_t)rng_next(rng);
	if (fd >= 0 && bind(fd, (const struct sockaddr *)&from, sizeof from) == 0)
		sent = sendto(fd, hello, sizeof hello, 0, (const struct sockaddr *)to,
			      sizeof *to) == sizeof hello;
	if (fd >= 0)
		close(fd);
	return sent;
}

int main(int argc, char **argv)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	int64_t port, count, sent = 0;
	struct fail f = { 0 };
	struct rng rng;

	if (argc != 4 || strcmp(argv[1], "flood") != 0 ||
	    units_integer(argv[2], 1, 65535, &port, &f) != 0 ||
	    units_integer(argv[3], 1, 1 << 30, &count, &f) != 0) {
		fprintf(stderr, "usage: bench_coap flood PORT COUNT\n");
		return 2;
	}
	rng_seed(&rng, 1);
	to.sin_port = htons((uint16_t)port);
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	for (int64_t i = 0; i < count; i++)
		sent += send_one(&to, &rng);
	printf("%lld\n", (long long)sent);
	return sent > 0 ? 0 : 1;
}
