/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_capture - how many packets a second a timeline takes from a file, and the memory over one
 * gigabyte. Not part of the program.
 *
 * The capture is made while it is read, so no disk is measured: TLS 1.2 connections one after
 * the other, a handshake and 64 records of data each. A bench never fails: what falls short is said
 * in its line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "capture/file.h"
#include "capture/timeline.h"
#include "lib/version.h"

#define GIGABYTE      1000000000
#define DATA_RECORDS  64
#define RECORD_BYTES  1400
#define HEADERS_BYTES 40
#define PACKET_MAX    (16 + HEADERS_BYTES + 5 + RECORD_BYTES)

struct source {
	uint8_t packet[PACKET_MAX];
	size_t len, pos;
	int64_t left_bytes;
	uint32_t connection, seq[2];
	int step;
	uint64_t packets;
};

struct step {
	bool from_server;
	uint8_t flags, type, handshake;
	uint16_t bytes; /* of the record */
};

static const struct step steps[] = {
	{ false, 0x02, 0, 0, 0 },    { true, 0x12, 0, 0, 0 },     { false, 0x10, 0, 0, 0 },
	{ false, 0x18, 22, 1, 200 }, { true, 0x18, 22, 2, 90 },   { true, 0x18, 22, 11, 1000 },
	{ true, 0x18, 22, 12, 150 }, { true, 0x18, 22, 14, 4 },   { false, 0x18, 22, 16, 70 },
	{ false, 0x18, 20, 1, 1 },   { false, 0x18, 22, 99, 40 }, { true, 0x18, 20, 1, 1 },
	{ true, 0x18, 22, 99, 40 },
};

#define HANDSHAKE_STEPS ((int)(sizeof(steps) / sizeof(steps[0])))

static void put16(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static void put32(uint8_t *p, uint32_t v)
{
	put16(p, v >> 16);
	put16(p + 2, v);
}

/* A ServerHello of TLS 1.2 with suite 0xc02b and no extensions. */
static void put_body(uint8_t *p, const struct step *s)
{
	memset(p, 0, s->bytes);
	p[0] = s->handshake;
	if (s->type != 22 || s->handshake == 99)
		return;
	put16(p + 2, s->bytes - 4u);
	if (s->handshake == 2) {
		put16(p + 2, 38);
		put16(p + 4, 0x0303);
		put16(p + 39, 0xc02b);
	}
}

static uint16_t record_bytes(const struct step *s)
{
	return s->type == 22 && s->handshake == 2 ? 42 : s->bytes;
}

static void put_packet(struct source *s, const struct step *step)
{
	uint32_t payload = step->type ? 5u + record_bytes(step) : 0;
	uint8_t *ip = s->packet + 16, *tcp = ip + 20;
	uint32_t us = (uint32_t)(s->packets * 10);
	uint32_t client = 0x0a000000u | (s->connection & 0xffff), server = 0x0a010001u;
	uint32_t record[4] = { us / 1000000, us % 1000000, HEADERS_BYTES + payload,
			       HEADERS_BYTES + payload };

	memset(s->packet, 0, 16 + HEADERS_BYTES);
	memcpy(s->packet, record, sizeof(record));
	ip[0] = 0x45;
	ip[9] = 6;
	put16(ip + 2, HEADERS_BYTES + payload);
	put32(ip + 12, step->from_server ? server : client);
	put32(ip + 16, step->from_server ? client : server);
	put16(tcp, step->from_server ? 443 : 40000 + (s->connection >> 16));
	put16(tcp + 2, step->from_server ? 40000 + (s->connection >> 16) : 443);
	put32(tcp + 4, s->seq[step->from_server]);
	tcp[12] = 0x50;
	tcp[13] = step->flags;
	s->seq[step->from_server] += payload + (step->flags & 3 ? 1 : 0);
	if (payload) {
		tcp[20] = step->type;
		put16(tcp + 21, 0x0303);
		put16(tcp + 23, record_bytes(step));
		put_body(tcp + 25, step);
	}
	s->len = 16 + HEADERS_BYTES + payload;
	s->pos = 0;
	s->packets++;
}

static void next_packet(struct source *s)
{
	static const struct step data = { true, 0x18, 23, 0, RECORD_BYTES };
	static const struct step end = { false, 0x11, 0, 0, 0 };

	if (s->step < HANDSHAKE_STEPS)
		put_packet(s, &steps[s->step]);
	else
		put_packet(s, s->step < HANDSHAKE_STEPS + DATA_RECORDS ? &data : &end);
	if (s->step++ == HANDSHAKE_STEPS + DATA_RECORDS) {
		s->step = 0;
		s->connection++;
		s->seq[0] = s->seq[1] = 0;
	}
}

static ssize_t give(void *cookie, char *dst, size_t size)
{
	struct source *s = cookie;
	size_t given = 0;

	while (given < size && s->left_bytes > 0) {
		size_t part;

		if (s->pos == s->len)
			next_packet(s);
		part = s->len - s->pos < size - given ? s->len - s->pos : size - given;
		memcpy(dst + given, s->packet + s->pos, part);
		s->pos += part;
		given += part;
		s->left_bytes -= (int64_t)part;
	}
	return (ssize_t)given;
}

static void count(void *data, const struct connection *c)
{
	*(uint64_t *)data += connection_complete(c);
}

static double peak_mib(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)u.ru_maxrss / 1024;
}

static double cpu_s(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

/* Processor time of the timeline and of making the packets together: the rate is a lower bound. */
static double read_bytes(int64_t bytes, uint64_t *packets, uint64_t *complete)
{
	static const uint32_t header[6] = { 0xa1b2c3d4, 4 << 16 | 2, 0, 0, 1 << 18, 101 };
	struct source s = { .left_bytes = bytes, .len = sizeof(header) };
	cookie_io_functions_t io = { .read = give };
	struct timeline *t = calloc(1, sizeof(*t));
	FILE *in = fopencookie(&s, "r", io);
	struct capture_file file;
	double used_s;

	memcpy(s.packet, header, sizeof(header));
	if (!t || !in || capture_file_init(&file, in))
		return -1;
	timeline_init(t, count, complete);
	used_s = cpu_s();
	timeline_read(t, &file);
	used_s = cpu_s() - used_s;
	*packets = t->packets;
	capture_file_release(&file);
	fclose(in);
	free(t);
	return used_s;
}

int main(void)
{
	uint64_t packets = 0, complete = 0;
	struct utsname u;
	double small_mib, large_mib, seconds;

	uname(&u);
	printf("machine %s, %ld CPUs, %s %s\n", u.machine, sysconf(_SC_NPROCESSORS_ONLN), u.sysname,
	       u.release);
	printf("version cipherwatt %s, %s\n", cipherwatt_version, __VERSION__);
	printf("settings pcap made in memory, %d data records of %d bytes a connection, CPU time\n",
	       DATA_RECORDS, RECORD_BYTES);
	/* Half of it fills the table of flows. */
	read_bytes(GIGABYTE / 2, &packets, &complete);
	small_mib = peak_mib();
	complete = 0;
	seconds = read_bytes(GIGABYTE, &packets, &complete);
	large_mib = peak_mib();
	printf("bench capture.packets %.0f 1/s >=1e6 %s\n", (double)packets / seconds,
	       (double)packets >= 1e6 * seconds ? "met" : "short");
	printf("bench capture.handshakes %llu count - info\n", (unsigned long long)complete);
	printf("bench capture.memory_1gb %.1f MiB - info\n", large_mib);
	printf("bench capture.memory_1gb_vs_half %.3f ratio <=1.1 %s\n", large_mib / small_mib,
	       large_mib <= 1.1 * small_mib ? "met" : "short");
	return 0;
}
