/* SPDX-License-Identifier: Apache-2.0 */
/*
 * units_test - the layers below the timeline, each with bytes made here: link headers, IP
 * fragments, TCP order, pcapng interfaces, CoAP.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capture/coap_seen.h"
#include "capture/file.h"
#include "capture/ip.h"
#include "capture/tcp.h"
#include "capture/timeline.h"
#include "lib/buf.h"
#include "lib/testing.h"

/* --- link ----------------------------------------------------------------- */

static struct span span_of(const uint8_t *p, uint32_t len)
{
	return (struct span){ p, len, len };
}

static void test_pppoe_length_bounds_the_payload(void **state)
{
	/* Ethernet, two VLAN tags, PPPoE with 6 bytes of padding behind its 4 of payload. */
	static const uint8_t frame[] = { 0,    0,    0,    0,    0, 0, 0,    0, 0, 0,
					 0,    0,    0x88, 0xa8, 0, 5, 0x81, 0, 0, 7,
					 0x88, 0x64, 0x11, 0,    0, 1, 0,    6, 0, 0x21,
					 0x45, 1,    2,    3,    0, 0, 0,    0, 0, 0 };
	struct span s = span_of(frame, sizeof(frame));

	(void)state;
	assert_true(link_strip(1, &s));
	assert_int_equal(s.captured_bytes, 4);
	assert_int_equal(s.wire_bytes, 4);
	assert_int_equal(s.data[0], 0x45);
	for (uint32_t len = 0; len < 31; len++) {
		s = span_of(frame, len);
		assert_false(link_strip(1, &s));
	}
}

static void test_link_types(void **state)
{
	static const struct {
		int type;
		uint32_t header;
	} known[] = { { 0, 4 },   { 12, 0 },  { 14, 0 },   { 101, 0 },  { 108, 4 },
		      { 228, 0 }, { 229, 0 }, { 113, 16 }, { 276, 20 }, { 1, 14 } };
	uint8_t frame[40];

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct span s = span_of(frame, sizeof(frame));
		int at = known[i].type == 1 ? 12 : known[i].type == 113 ? 14 : 0;

		memset(frame, 0, sizeof(frame));
		frame[at] = 0x08;
		frame[known[i].header] = 0x45;
		assert_true(link_type_known(known[i].type));
		assert_true(link_strip(known[i].type, &s));
		assert_int_equal(s.captured_bytes, sizeof(frame) - known[i].header);
	}
	assert_false(link_type_known(105));
}

/* --- IP ------------------------------------------------------------------- */

/* A fragment of UDP's whose payload bytes are their offset in the datagram. */
static struct span fragment(uint8_t *p, uint16_t id, uint32_t offset, uint32_t len, bool more)
{
	memset(p, 0, 20);
	p[0] = 0x45;
	p[2] = (uint8_t)((20 + len) >> 8);
	p[3] = (uint8_t)(20 + len);
	p[4] = (uint8_t)(id >> 8);
	p[5] = (uint8_t)id;
	p[6] = (uint8_t)((more ? 0x20 : 0) | offset / 8 >> 8);
	p[7] = (uint8_t)(offset / 8);
	p[9] = 17;
	for (uint32_t i = 0; i < len; i++)
		p[20 + i] = (uint8_t)((offset + i) * 7);
	return span_of(p, 20 + len);
}

static void test_fragments_in_any_order(void **state)
{
	struct rng rng = testing_rng("fragments");
	struct ip_fragments *f = calloc(1, sizeof(*f));
	struct ip_packet p;
	uint8_t bytes[64];

	(void)state;
	assert_non_null(f);
	for (int round = 0; round < 500; round++) {
		int order[5] = { 0, 1, 2, 3, 4 };
		int whole = 0;

		rng_shuffle(&rng, order, 5, sizeof(order[0]));
		for (int i = 0; i < 5; i++) {
			uint32_t at = (uint32_t)order[i] * 16;
			struct span s =
				fragment(bytes, (uint16_t)round, at, at == 64 ? 5 : 16, at != 64);

			whole += ip_parse(f, s, &p);
			assert_int_equal(whole, i == 4);
		}
		assert_int_equal(p.payload.captured_bytes, 69);
		for (uint32_t i = 0; i < 69; i++)
			assert_int_equal(p.payload.data[i], (uint8_t)(i * 7));
	}
	ip_fragments_release(f);
	free(f);
}

static void test_forgotten_fragments_give_way(void **state)
{
	struct ip_fragments *f = calloc(1, sizeof(*f));
	struct ip_packet p;
	uint8_t bytes[64];

	(void)state;
	assert_non_null(f);
	for (int id = 0; id < 1000; id++)
		assert_false(ip_parse(f, fragment(bytes, (uint16_t)id, 0, 16, true), &p));
	assert_true(ip_parse(f, fragment(bytes, 999, 16, 4, false), &p));
	assert_false(ip_parse(f, fragment(bytes, 1, 16, 4, false), &p));
	ip_fragments_release(f);
	free(f);
}

static void test_of_overlapping_fragments_the_first_copy_counts(void **state)
{
	struct ip_fragments *f = calloc(1, sizeof(*f));
	struct ip_packet p;
	uint8_t bytes[64];
	struct span s;

	(void)state;
	assert_non_null(f);
	assert_false(ip_parse(f, fragment(bytes, 7, 0, 16, true), &p));
	s = fragment(bytes, 7, 8, 16, false);
	memset(bytes + 20, 0xee, 16);
	assert_true(ip_parse(f, s, &p));
	assert_int_equal(p.payload.captured_bytes, 24);
	assert_int_equal(p.payload.data[15], 15 * 7);
	assert_int_equal(p.payload.data[16], 0xee);
	ip_fragments_release(f);
	free(f);
}

/* --- UDP ------------------------------------------------------------------ */

static void count_coap(void *data, const struct connection *c)
{
	*(int *)data += c->proto == CONN_COAP;
}

/* A CoAP GET of four bytes in a datagram with one byte behind it that UDP's length leaves out. */
static void test_udp_length_bounds_the_payload(void **state)
{
	uint8_t bytes[33] = { 0x45, 0, 0, 33, 0, 0,    0,    0, 64, 17, 0, 0,    10, 0, 0, 1,   10,
			      0,    0, 2, 9,  9, 0x16, 0x33, 0, 12, 0,  0, 0x40, 1,  0, 5, 0x21 };
	struct capture_packet p = { 1, 101, bytes, sizeof(bytes), sizeof(bytes) };
	struct timeline *t = calloc(1, sizeof(*t));
	int seen = 0;

	(void)state;
	assert_non_null(t);
	for (int round = 0; round < 2; round++) {
		timeline_init(t, count_coap, &seen);
		timeline_packet(t, &p);
		timeline_end(t);
		assert_int_equal(seen, 1);
		bytes[25] = 13;
	}
	free(t);
}

/* --- TCP ------------------------------------------------------------------ */

static void collect(void *data, const uint8_t *p, uint32_t len)
{
	buf_put(data, p, len);
}

/* Random pieces of a known text, overlapping, repeated and shuffled, around the wrap of numbers. */
static void test_segments_in_any_order(void **state)
{
	struct rng rng = testing_rng("segments");
	uint8_t text[600];

	(void)state;
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (uint8_t)(i * 31 + i / 256);
	for (int round = 0; round < 500; round++) {
		uint32_t base = UINT32_MAX - (uint32_t)rng_below(&rng, sizeof(text));
		struct tcp_half h = { 0 };
		struct buf got;
		uint32_t at[40];

		buf_init(&got, 0);
		tcp_half_start(&h, base);
		for (uint32_t i = 0; i < 40; i++)
			at[i] = i * 15;
		rng_shuffle(&rng, at, 40, sizeof(at[0]));
		for (int i = 0; i < 40; i++) {
			uint32_t len = 15 + (uint32_t)rng_below(&rng, 40);

			len = len > sizeof(text) - at[i] ? (uint32_t)sizeof(text) - at[i] : len;
			tcp_half_add(&h, base + at[i], (struct tcp_piece){ text + at[i], len, len },
				     collect, &got);
		}
		assert_int_equal(got.len, sizeof(text));
		assert_memory_equal(got.data, text, sizeof(text));
		assert_false(tcp_half_has_gap(&h));
		assert_int_equal(tcp_half_add(&h, base + 3, (struct tcp_piece){ text, 50, 50 },
					      collect, &got),
				 50);
		assert_int_equal(h.waiting_bytes, 0);
		buf_release(&got);
	}
}

static void test_a_gap_costs_bounded_memory(void **state)
{
	static const uint8_t bytes[1400];
	struct tcp_half h = { 0 };
	struct buf got;

	(void)state;
	buf_init(&got, 0);
	tcp_half_start(&h, 0);
	for (uint32_t i = 1; i < 5000; i++) {
		tcp_half_add(&h, i * 1400, (struct tcp_piece){ bytes, 1400, 1400 }, collect, &got);
		assert_true(h.waiting_bytes <= TCP_WAITING_BYTES_MAX);
	}
	assert_true(tcp_half_has_gap(&h));
	assert_int_equal(got.len, 0);
	tcp_half_release(&h);
	buf_release(&got);
}

static void test_bytes_that_were_not_captured_end_the_reading(void **state)
{
	static const uint8_t bytes[100];
	struct tcp_half h = { 0 };
	struct buf got;

	(void)state;
	buf_init(&got, 0);
	tcp_half_add(&h, 10, (struct tcp_piece){ bytes, 60, 100 }, collect, &got);
	tcp_half_add(&h, 110, (struct tcp_piece){ bytes, 100, 100 }, collect, &got);
	assert_int_equal(got.len, 60);
	assert_true(tcp_half_has_gap(&h));
	buf_release(&got);
}

/* --- files ---------------------------------------------------------------- */

static void put32(struct buf *b, uint32_t v)
{
	uint8_t p[4] = { (uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16), (uint8_t)(v >> 24) };

	buf_put(b, p, 4);
}

static void put_interface(struct buf *b, uint32_t link_type, uint8_t resolution)
{
	const uint32_t words[] = { 1, 32, link_type, 0, 9 | 1 << 16, resolution, 0, 32 };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		put32(b, words[i]);
}

static void put_packet(struct buf *b, uint32_t interface, uint64_t stamp)
{
	const uint32_t words[] = { 6, 36,   interface, (uint32_t)(stamp >> 32), (uint32_t)stamp, 4,
				   4, 0x45, 36 };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		put32(b, words[i]);
}

/* Microseconds, nanoseconds and 2^-10 s in one file, each with its own link type. */
static void test_each_interface_has_its_own_clock(void **state)
{
	const uint32_t section[] = { 0x0a0d0d0a, 28, 0x1a2b3c4d, 1, UINT32_MAX, UINT32_MAX, 28 };
	static const int64_t want_ns[] = { 5000001000, 5000001, 5000976562 };
	struct capture_file c;
	struct capture_packet p;
	struct buf b;
	FILE *in;

	(void)state;
	buf_init(&b, 0);
	for (size_t i = 0; i < 7; i++)
		put32(&b, section[i]);
	put_interface(&b, 1, 6);
	put_interface(&b, 101, 9);
	put_interface(&b, 0, 0x80 | 10);
	put_packet(&b, 0, 5000001);
	put_packet(&b, 1, 5000001);
	put_packet(&b, 2, 5121);
	put_packet(&b, 3, 1);
	in = fmemopen(b.data, b.len, "r");
	assert_int_equal(capture_file_init(&c, in), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(capture_file_next(&c, &p), 1);
		assert_true(p.time_ns == want_ns[i]);
		assert_int_equal(p.link_type, i == 0 ? 1 : i == 1 ? 101 : 0);
		assert_int_equal(p.captured_bytes, 4);
	}
	assert_int_equal(capture_file_next(&c, &p), -1);
	assert_non_null(strstr(c.fail.text, "not described"));
	capture_file_release(&c);
	fclose(in);
	buf_release(&b);
}

static void test_what_is_no_capture_is_refused(void **state)
{
	char text[] = "neither of the two";
	FILE *in = fmemopen(text, sizeof(text), "r");
	struct capture_file c;

	(void)state;
	assert_int_equal(capture_file_init(&c, in), -1);
	assert_non_null(strstr(c.fail.text, "neither pcap nor pcapng"));
	capture_file_release(&c);
	fclose(in);
}

/* --- CoAP ----------------------------------------------------------------- */

static void test_coap_is_told_from_what_resembles_it(void **state)
{
	static const uint8_t get[] = { 0x42, 1,   0x12, 0x34, 9,    9,  0xb4,
				       't',  'e', 's',  't',  0xff, 'x' };
	static const uint8_t none[][4] = {
		{ 0x60, 1, 0x12, 0x34 },    /* a request in ACK */
		{ 0x70, 0x45, 0x12, 0x34 }, /* an answer in RST */
		{ 0x50, 0, 0x12, 0x34 },    /* an Empty NON */
		{ 0x40, 8, 0x12, 0x34 },    /* a method that there is not */
		{ 0x40, 0x21, 0x12, 0x34 }, /* class 1 */
	};
	static const uint8_t far[] = { 0x40, 1, 0, 1, 0xe0, 0xff, 0xff }; /* option 65804 */
	struct coap_message h;
	uint8_t bad[sizeof(get)];
	char name[32];

	(void)state;
	assert_true(coap_seen_parse(get, sizeof(get), &h));
	assert_int_equal(h.id, 0x1234);
	coap_seen_name(h.type, h.code, name, sizeof(name));
	assert_string_equal(name, "CON GET");
	assert_false(coap_seen_parse(get, sizeof(get) - 1, &h));
	memcpy(bad, get, sizeof(get));
	bad[0] = 0x4f;
	assert_false(coap_seen_parse(bad, sizeof(bad), &h));
	memcpy(bad, get, sizeof(get));
	bad[6] = 0xbf;
	assert_false(coap_seen_parse(bad, sizeof(bad), &h));
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		if (coap_seen_parse(none[i], 4, &h))
			fail_msg("row %zu was taken for CoAP", i);
	assert_false(coap_seen_parse(far, sizeof(far), &h));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pppoe_length_bounds_the_payload),
		cmocka_unit_test(test_link_types),
		cmocka_unit_test(test_fragments_in_any_order),
		cmocka_unit_test(test_forgotten_fragments_give_way),
		cmocka_unit_test(test_of_overlapping_fragments_the_first_copy_counts),
		cmocka_unit_test(test_udp_length_bounds_the_payload),
		cmocka_unit_test(test_segments_in_any_order),
		cmocka_unit_test(test_a_gap_costs_bounded_memory),
		cmocka_unit_test(test_bytes_that_were_not_captured_end_the_reading),
		cmocka_unit_test(test_each_interface_has_its_own_clock),
		cmocka_unit_test(test_what_is_no_capture_is_refused),
		cmocka_unit_test(test_coap_is_told_from_what_resembles_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
