/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine_null - no cryptography: bytes pass from wire to wire unchanged.
 *
 * It runs the suite "plain", and over the same sockets and loops as the others
 * it is the floor that they are compared with. It writes in pieces of
 * record_bytes, like them.
 */
#include <errno.h>
#include <string.h>

#include "ciphers/engine.h"

static const char *null_version(void)
{
	return "none";
}

static const char *null_build(void)
{
	return "no cryptography";
}

static const char *null_refuses(const struct suite *suite)
{
	return suite_is_plain(suite) ? NULL : "no cryptography";
}

static int null_domain_open(struct domain *d)
{
	if (d->params.alpn && alpn_check(d->params.alpn, &d->fail))
		return -1;
	if (!d->params.record_bytes)
		d->params.record_bytes = RECORD_BYTES_MAX;
	return 0;
}

static void null_domain_close(struct domain *d)
{
	d->impl = NULL;
}

static int null_open(struct assoc *a)
{
	a->impl = a;
	a->dry = false;
	return 0;
}

static void null_close(struct assoc *a)
{
	a->impl = NULL;
}

/* Without cryptography nothing is negotiated: a cookie would be one of our own invention. */
static enum step null_listen(struct assoc *a, const void *peer, size_t len)
{
	(void)a, (void)peer, (void)len;
	return STEP_DONE;
}

static enum step null_handshake(struct assoc *a)
{
	(void)a;
	return STEP_DONE;
}

static enum step null_read(struct assoc *a, void *dst, size_t len, size_t *got)
{
	*got = wire_get(&a->in, dst, len);
	a->dry = wire_empty(&a->in);
	return *got ? STEP_DONE : STEP_IN;
}

static enum step null_write(struct assoc *a, const void *src, size_t len, size_t *put)
{
	size_t record_bytes = a->domain->params.record_bytes;

	*put = wire_put(&a->out, src, len < record_bytes ? len : record_bytes);
	return *put || !len ? STEP_DONE : STEP_OUT;
}

static void null_shutdown(struct assoc *a)
{
	(void)a;
}

static int64_t null_deadline(struct assoc *a)
{
	(void)a;
	return -1;
}

static enum step null_expire(struct assoc *a)
{
	(void)a;
	return STEP_DONE;
}

static void null_facts(struct assoc *a, struct tls_facts *facts)
{
	const char *list = a->domain->params.alpn;

	*facts = (struct tls_facts){ .version = TLS_NONE };
	if (list)
		alpn_copy(facts->alpn, list, strcspn(list, ","));
}

static struct session *null_session_take(struct assoc *a)
{
	(void)a;
	return NULL;
}

static int null_session_offer(struct assoc *a, struct session *s)
{
	(void)s;
	return fail_set(&a->fail, EINVAL, "nothing is resumed without cryptography");
}

/* None is ever made. */
static void null_session_free(struct session *s)
{
	(void)s;
}

static size_t null_early_room(struct assoc *a)
{
	(void)a;
	return 0;
}

static enum step null_write_early(struct assoc *a, const void *src, size_t len, size_t *put)
{
	(void)src, (void)len;
	*put = 0;
	fail_set(&a->fail, EINVAL, "no early data without cryptography");
	return STEP_FAILED;
}

const struct engine_ops engine_null = {
	.name = "null",
	.version = null_version,
	.build = null_build,
	.ends_with_stream = true,
	.refuses = null_refuses,
	.domain_open = null_domain_open,
	.domain_close = null_domain_close,
	.open = null_open,
	.close = null_close,
	.listen = null_listen,
	.handshake = null_handshake,
	.read = null_read,
	.write = null_write,
	.shutdown = null_shutdown,
	.deadline = null_deadline,
	.expire = null_expire,
	.facts = null_facts,
	.session_take = null_session_take,
	.session_offer = null_session_offer,
	.session_free = null_session_free,
	.early_room = null_early_room,
	.write_early = null_write_early,
};
