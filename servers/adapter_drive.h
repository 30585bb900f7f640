/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adapter_drive - for the tests: a job configured from settings in a directory of its own,
 * and what its server's file, or command line, must say.
 */
#ifndef SERVERS_ADAPTER_DRIVE_H
#define SERVERS_ADAPTER_DRIVE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ftw.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/path.h"
#include "servers/adapter_run.h"
#include "servers/adapter_words.h"
#include "workloads/compress.h"
#include "workloads/page_content.h"

#define ECDSA12 "tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:x25519:p256"
#define RSA12   "tls1.2:ECDHE-RSA-AES256-GCM-SHA384:p384:rsa2048"
#define TLS13   "tls1.3:CHACHA20-POLY1305-SHA256:x25519:p256"

static struct adapter_job job;
static struct server_params params;
static char config[16384]; /* the file, or the command line where there is none */

static inline void prepare(const char *suite)
{
	struct fail f = { 0 };

	params = (struct server_params){
		.listeners = 1,
		.listener[0].url = { .scheme = strcmp(suite, "plain") ? URL_HTTPS : URL_HTTP,
				     .host = "127.0.0.1" },
		.listener[0].engine = &engine_null,
		.workload = &workload_page,
		.workload_params = { .payload_bytes = 300,
				     .payload_kind = "json",
				     .payload_bytes_max = 1 << 20 },
		.cert_file = "/c.pem",
		.key_file = "/k.pem",
		.record_bytes = RECORD_BYTES_MAX,
		.connections = 100,
	};
	if (suite_parse(suite, &params.listener[0].suite, &f) != 0)
		fail_msg("%s", f.text);
#ifdef WITH_OPENSSL
	if (strcmp(suite, "plain"))
		params.listener[0].engine = &engine_openssl;
#endif
}

static inline int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static inline void read_into(char *dst, size_t room, const char *name)
{
	char path[2 * PATH_BYTES];
	struct buf text = { 0 };
	struct fail f = { 0 };

	snprintf(path, sizeof path, "%s/%s", job.dir, name);
	if (path_read(path, room - 1, &text, &f) != 0)
		fail_msg("%s", f.text);
	snprintf(dst, room, "%s", buf_text(&text));
	buf_release(&text);
}

/* The files stay until the next one. */
static inline void configure(const struct server_adapter *a)
{
	struct adapter_argv argv = { 0 };
	struct fail f = { 0 };

	if (job.dir[0])
		nftw(job.dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	buf_release(&job.settings);
	job = (struct adapter_job){ .params = &params,
				    .program = "/sbin/it",
				    .dir = "/tmp/adapter-test-XXXXXX",
				    .url = params.listener[0].url,
				    .plain_port = 4321,
				    .workers = 3 };
	assert_non_null(mkdtemp(job.dir));
	job.url.port = 1234;
	if (a->configure(&job, &f) != 0)
		fail_msg("%s: %s", a->name, f.text);
	a->command(&job, &argv);
	assert_false(argv.failed);
	config[0] = '\0';
	for (int i = 0; i < argv.count; i++)
		snprintf(config + strlen(config), sizeof config - strlen(config), "%s ",
			 argv.word[i]);
	assert_memory_equal(config, "/sbin/it ", 9);
	if (a != &adapter_s_server)
		read_into(config, sizeof config, "config");
	adapter_argv_release(&argv);
}

struct says {
	const struct server_adapter *a;
	const char *words[10];
};

static inline void check(const struct says *says, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		configure(says[i].a);
		for (int w = 0; w < 10 && says[i].words[w]; w++)
			if (!strstr(config, says[i].words[w]))
				fail_msg("%s: no \"%s\" in:\n%s", says[i].a->name, says[i].words[w],
					 config);
	}
}

#define COUNT(table) (sizeof table / sizeof *table)

static inline int tidy(void **state)
{
	(void)state;
	nftw(job.dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	buf_release(&job.settings);
	return 0;
}

#endif
