/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_count_test - what a server says that it has answered and rejected with CoAP, over
 * datagrams and over TCP, is what its clients have asked.
 */
#include "protocols/coap.h"
#include "protocols/coap_hex.h"
#include "servers/server_drive.h"

#define LONG_PAGE  "page/1310720"
#define LONG_BYTES 1310720
#define BLOCKS     (LONG_BYTES / 1024)

static struct server *start(struct server_params *p, const char *url)
{
	*p = drive_params(url, &engine_null, "plain");
	return drive_start(p);
}

static int open_socket(const struct server_params *p)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(p->listener[0].url.port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
	return fd;
}

/* The options of a GET, with Block2. */
static size_t write_get(uint8_t *dst, size_t cap, const char *page, uint32_t number)
{
	struct coap_block b = { .present = true, .szx = 6, .number = number };
	struct coap_writer w = { .dst = dst, .cap = cap };

	coap_write_option(&w, COAP_URI_PATH, page, strcspn(page, "/"));
	page += strcspn(page, "/");
	if (*page)
		coap_write_option(&w, COAP_URI_PATH, page + 1, strlen(page + 1));
	coap_write_uint(&w, COAP_BLOCK2, coap_block_value(&b));
	return w.len;
}

/* The code of the answer. */
static uint8_t exchange(int fd, const uint8_t *message, size_t len)
{
	uint8_t answer[2048];

	drive_send(fd, message, len);
	assert_true(drive_read(fd, answer, sizeof answer) >= 4);
	return answer[1];
}

static uint8_t get(int fd, uint16_t id, const char *page, uint32_t number)
{
	uint8_t message[64] = { 0x40, COAP_GET, (uint8_t)(id >> 8), (uint8_t)id };

	return exchange(fd, message, 4 + write_get(message + 4, sizeof message - 4, page, number));
}

static void a_long_page_is_one_request(void **state)
{
	struct server_params p;
	struct server *s = start(&p, "coap://127.0.0.1:0");
	int fd = open_socket(&p);
	uint16_t id = 0;

	(void)state;
	for (uint32_t i = 0; i < BLOCKS; i++)
		assert_int_equal(get(fd, id++, LONG_PAGE, i), COAP_CONTENT);
	assert_int_equal(get(fd, id++, "page/512", 0), COAP_CONTENT);
	drive_await(s, coap.received, BLOCKS + 1);
	drive_await(s, requests, 2);
	drive_await(s, rejected, 0);
	close(fd);
	server_stop(s);
}

/* By the workload, instead of its answer, and before it is asked. */
static void what_is_refused_is_rejected(void **state)
{
	static const struct {
		const char *hex;
		uint8_t code;
	} rows[] = {
		{ "40 01 0001 b4 'page' 03 '512'", COAP_CONTENT },
		{ "40 01 0002 b4 'none'", COAP_NOT_FOUND },
		{ "40 01 0003 91 00", COAP_BAD_OPTION },
		{ "40 02 0004 b1 'p' ff '0123456789abcdef0'", COAP_TOO_LARGE },
		{ "40 02 0005 b1 'p' d1 03 18 ff '0123456789abcdef'", COAP_INCOMPLETE },
		{ "40 01 0006 b4 'page' 03 '512' 61 3c", COAP_NOT_ACCEPTABLE },
		{ "40 01 0007 b4 'page' 03 '512' c1 16", COAP_BAD_REQUEST }, /* no such block */
		{ "40 01 0008 ff", 0 },                                      /* malformed: RST */
	};
	struct server_params p = drive_params("coap://127.0.0.1:0", &engine_null, "plain");
	struct server *s;
	int fd;

	(void)state;
	p.body_bytes = 16;
	s = drive_start(&p);
	fd = open_socket(&p);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint8_t message[64];

		assert_int_equal(exchange(fd, message, coap_hex(rows[i].hex, message)),
				 rows[i].code);
	}
	drive_await(s, coap.malformed, 1);
	drive_await(s, coap.refused, 3);
	drive_await(s, rejected, 6);
	drive_await(s, requests, 1);
	close(fd);
	server_stop(s);
}

/* They are another thread's, which goes on: SAN=thread sees one that it writes as its own. */
static void counters_are_read_while_they_count(void **state)
{
	struct server_params p;
	struct server *s = start(&p, "coap://127.0.0.1:0");
	uint8_t ping[] = { 0x40, COAP_EMPTY, 0, 0 };
	int fd = open_socket(&p);

	(void)state;
	for (int i = 0; i < 100; i++) {
		ping[3] = (uint8_t)i;
		drive_send(fd, ping, sizeof ping);
		drive_await(s, coap.received, i + 1);
		drive_await(s, coap.resets_sent, i + 1);
	}
	close(fd);
	server_stop(s);
}

/* --- over TCP ---------------------------------------------------------------------------- */

/* A peer of messages of 1,152 bytes that does blocks; the server's own CSM is read. */
static int open_stream(const struct server_params *p)
{
	static const uint8_t csm[] = { 0x10, COAP_CSM, 0x40 };
	int fd = drive_connect(p);
	uint8_t answer[64];

	drive_send(fd, csm, sizeof csm);
	assert_true(drive_read(fd, answer, sizeof answer) > 0);
	return fd;
}

/* The code of the answer; all of it is read. */
static uint8_t exchange_stream(int fd, const uint8_t *message, size_t len)
{
	uint8_t answer[2048], code = 0;
	size_t got = 0, due = 2;

	drive_send(fd, message, len);
	while (got < due) {
		ssize_t n = drive_read(fd, answer + got, sizeof answer - got);

		assert_true(n > 0);
		got += (size_t)n;
		if (got < 4 && answer[0] >> 4 >= 13)
			continue;
		if (answer[0] >> 4 == 14) {
			due = 4 + 269 + (size_t)(answer[1] << 8 | answer[2]);
			code = answer[3];
		} else if (answer[0] >> 4 == 13) {
			due = 3 + 13 + (size_t)answer[1];
			code = answer[2];
		} else {
			due = 2 + (size_t)(answer[0] >> 4);
			code = answer[1];
		}
	}
	assert_int_equal(got, due);
	return code;
}

static uint8_t get_stream(int fd, const char *page, uint32_t number)
{
	uint8_t options[64], message[80];
	size_t len = write_get(options, sizeof options, page, number);

	message[0] = len < 13 ? (uint8_t)(len << 4) : 0xd0;
	message[1] = len < 13 ? COAP_GET : (uint8_t)(len - 13);
	message[2] = COAP_GET;
	memcpy(message + (len < 13 ? 2 : 3), options, len);
	return exchange_stream(fd, message, (len < 13 ? 2 : 3) + len);
}

static void what_a_stream_is_refused_is_rejected(void **state)
{
	static const struct {
		const char *hex;
		uint8_t code;
	} rows[] = {
		{ "90 01 b4 'page' 03 '512'", COAP_CONTENT },
		{ "50 01 b4 'none'", COAP_NOT_FOUND },
		{ "20 01 91 00", COAP_BAD_OPTION },
		{ "d0 07 02 b1 'p' ff '0123456789abcdef0'", COAP_TOO_LARGE },
		{ "b0 01 b4 'page' 03 '512' 61 3c", COAP_NOT_ACCEPTABLE },
	};
	struct server_params p = drive_params("coap+tcp://127.0.0.1:0", &engine_null, "plain");
	struct server *s;
	int fd;

	(void)state;
	p.body_bytes = 16;
	s = drive_start(&p);
	fd = open_stream(&p);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint8_t message[64];

		assert_int_equal(exchange_stream(fd, message, coap_hex(rows[i].hex, message)),
				 rows[i].code);
	}
	close(fd);
	drive_await(s, open, 0);
	drive_await(s, rejected, 4);
	drive_await(s, requests, 1);
	server_stop(s);
}

static void a_long_page_is_one_request_of_a_stream(void **state)
{
	struct server_params p;
	struct server *s = start(&p, "coap+tcp://127.0.0.1:0");
	int fd = open_stream(&p);

	(void)state;
	for (uint32_t i = 0; i < 20; i++)
		assert_int_equal(get_stream(fd, "page/20480", i), COAP_CONTENT);
	assert_int_equal(get_stream(fd, "page/512", 0), COAP_CONTENT);
	drive_await(s, requests, 2);
	close(fd);
	drive_await(s, open, 0);
	drive_await(s, requests, 2);
	drive_await(s, rejected, 0);
	server_stop(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_long_page_is_one_request),
		cmocka_unit_test(counters_are_read_while_they_count),
		cmocka_unit_test(what_is_refused_is_rejected),
		cmocka_unit_test(a_long_page_is_one_request_of_a_stream),
		cmocka_unit_test(what_a_stream_is_refused_is_rejected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
