/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine_openssl - OpenSSL 3 behind struct engine_ops.
 *
 * A BIO of our own moves ciphertext to and from the wires (BIO_s_mem() would lose
 * the borders of datagrams). Contexts are made in openssl_domain.c.
 */
#include <errno.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <pthread.h>
#include <sys/time.h>

#include "ciphers/openssl_session.h"

#define RECORD_OVERHEAD_BYTES 256
#define NS_PER_SECOND         INT64_C(1000000000)
#define NS_PER_MICROSECOND    INT64_C(1000)
#define DTLS_WAIT_US_MAX      (unsigned)(DTLS_RETRANSMIT_NS_MAX / NS_PER_MICROSECOND)

/* --- the BIO -------------------------------------------------------------- */

static BIO_METHOD *wire_method;

static int bio_read(BIO *b, char *dst, int len)
{
	struct assoc *a = BIO_get_data(b);
	size_t n = openssl_take(a, dst, (size_t)len);

	BIO_clear_retry_flags(b);
	if (n)
		return (int)n;
	BIO_set_retry_read(b);
	return -1;
}

static int bio_write(BIO *b, const char *src, int len)
{
	struct assoc *a = BIO_get_data(b);
	size_t n = wire_put(&a->out, src, (size_t)len);

	BIO_clear_retry_flags(b);
	if (n)
		return (int)n;
	BIO_set_retry_write(b);
	return -1;
}

static long bio_ctrl(BIO *b, int cmd, long num, void *ptr)
{
	(void)b, (void)num, (void)ptr;
	return cmd == BIO_CTRL_FLUSH ? 1 : 0;
}

static void make_wire_method(void)
{
	wire_method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "wire");
	if (!wire_method)
		return;
	BIO_meth_set_read(wire_method, bio_read);
	BIO_meth_set_write(wire_method, bio_write);
	BIO_meth_set_ctrl(wire_method, bio_ctrl);
}

struct assoc *openssl_assoc(SSL *ssl)
{
	return BIO_get_data(SSL_get_rbio(ssl));
}

static BIO *wire_bio(struct assoc *a)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	BIO *bio;

	pthread_once(&once, make_wire_method);
	bio = wire_method ? BIO_new(wire_method) : NULL;
	if (!bio)
		return NULL;
	BIO_set_data(bio, a);
	BIO_set_init(bio, 1);
	return bio;
}

/* --- the association ------------------------------------------------------ */

/*
 * Over datagrams the library keeps the buffer of the handshake's messages for good, in case the
 * last flight must be sent again. It is made in the first of these calls.
 */
static void take_blocks(struct assoc *a)
{
	blocks_wake(&a->blocks);
	blocks_are_of(SSL_is_dtls(a->impl) ? &a->blocks : NULL);
}

static const char *engine_version(void)
{
	return OpenSSL_version(OPENSSL_VERSION);
}

/* In microseconds; before is the wait that was in vain, 0 at first. */
static unsigned next_wait(SSL *ssl, unsigned before_us)
{
	int64_t first_ns = openssl_assoc(ssl)->domain->params.retransmit_ns;

	if (before_us)
		return before_us < DTLS_WAIT_US_MAX / 2 ? before_us * 2 : DTLS_WAIT_US_MAX;
	return (unsigned)((first_ns ? first_ns : DTLS_RETRANSMIT_NS) / NS_PER_MICROSECOND);
}

static void set_up_datagrams(SSL *ssl, const struct tls_params *p)
{
	SSL_set_options(ssl, SSL_OP_NO_QUERY_MTU);
	DTLS_set_link_mtu(ssl, p->mtu ? (long)p->mtu : DTLS_MTU_BYTES);
	DTLS_set_timer_cb(ssl, next_wait);
}

static int engine_open(struct assoc *a)
{
	const struct tls_params *p = &a->domain->params;
	struct openssl_domain *o = a->domain->impl;
	SSL *ssl;
	BIO *bio;

	openssl_forget_errors();
	ssl = SSL_new(o->ctx);
	bio = ssl ? wire_bio(a) : NULL;
	if (!bio) {
		SSL_free(ssl);
		return openssl_fail(&a->fail, "association");
	}
	SSL_set_bio(ssl, bio, bio);
	if (SSL_is_dtls(ssl))
		set_up_datagrams(ssl, p);
	if (p->role == SERVER)
		SSL_set_accept_state(ssl);
	else
		SSL_set_connect_state(ssl);
	if (p->role == CLIENT && p->server_name && !o->name_is_address &&
	    SSL_set_tlsext_host_name(ssl, p->server_name) != 1) {
		SSL_free(ssl);
		return openssl_fail(&a->fail, "server name");
	}
	if (openssl_more_open(ssl, p)) {
		SSL_free(ssl);
		return fail_set(&a->fail, ENOMEM, "no memory for an association");
	}
	a->impl = ssl;
	a->dry = false;
	return 0;
}

static void engine_close(struct assoc *a)
{
	blocks_wake(&a->blocks);
	openssl_more_close(a->impl);
	SSL_free(a->impl);
	blocks_disown(&a->blocks); /* what a session that was taken holds */
	a->impl = NULL;
	openssl_forget_errors();
}

/* The error queue belongs to the thread: what another association left must not be read here. */
static enum step shake(struct assoc *a)
{
	enum step step = STEP_DONE;

	while (step == STEP_DONE && openssl_receives_early(a))
		step = openssl_receive_early(a);
	if (openssl_answers_early(a) && (step == STEP_DONE || step == STEP_IN))
		return STEP_DONE;
	if (step != STEP_DONE)
		return step;
	openssl_forget_errors();
	return openssl_settle(a, SSL_do_handshake(a->impl), "handshake");
}

static enum step engine_listen(struct assoc *a, const void *peer, size_t len)
{
	enum step step;

	take_blocks(a);
	step = openssl_listen(a, peer, len);
	blocks_are_of(NULL);
	return step;
}

static enum step engine_handshake(struct assoc *a)
{
	enum step step;

	take_blocks(a);
	step = shake(a);
	blocks_are_of(NULL);
	return step;
}

/* Over datagrams the library would keep 17 KB for each association that waits. */
static void give_buffers_back(struct assoc *a)
{
	if (a->dry && SSL_is_dtls(a->impl))
		SSL_free_buffers(a->impl);
}

static enum step engine_read(struct assoc *a, void *dst, size_t len, size_t *got)
{
	enum step step = STEP_DONE;

	blocks_wake(&a->blocks);
	a->dry = false;
	*got = openssl_give_early(a, dst, len);
	while (!*got && step == STEP_DONE && openssl_receives_early(a)) {
		step = openssl_receive_early(a);
		*got = openssl_give_early(a, dst, len);
	}
	if (*got || step != STEP_DONE)
		return step;
	openssl_forget_errors();
	step = openssl_settle(a, SSL_read_ex(a->impl, dst, len, got), "read");
	a->dry = wire_empty(&a->in) &&
		 (step == STEP_IN || (step == STEP_DONE && !SSL_has_pending(a->impl)));
	if (step == STEP_IN)
		give_buffers_back(a);
	return step;
}

/* What was given back. Over datagrams the library writes without looking for it. */
static bool has_buffers(struct assoc *a)
{
	return !SSL_is_dtls(a->impl) || SSL_alloc_buffers(a->impl) == 1;
}

/* A record is sealed only when it fits the wire whole: no half-written one to retry. */
static bool record_fits(struct assoc *a, size_t len)
{
	return wire_empty(&a->out) || wire_room(&a->out) >= len + RECORD_OVERHEAD_BYTES;
}

static enum step engine_write(struct assoc *a, const void *src, size_t len, size_t *put)
{
	const struct openssl_domain *o = a->domain->impl;
	size_t record = len < o->record_bytes ? len : o->record_bytes;
	enum step step;

	*put = 0;
	if (!record)
		return STEP_DONE;
	if (!record_fits(a, record))
		return STEP_OUT;
	openssl_forget_errors();
	blocks_wake(&a->blocks);
	if (!has_buffers(a)) {
		openssl_fail_step(a, "write");
		return STEP_FAILED;
	}
	step = openssl_settle(a,
			      openssl_answers_early(a)
				      ? SSL_write_early_data(a->impl, src, record, put)
				      : SSL_write_ex(a->impl, src, record, put),
			      "write");
	give_buffers_back(a); /* an answer is the last that is done for a request */
	return step;
}

static void engine_shutdown(struct assoc *a)
{
	blocks_wake(&a->blocks);
	if (!SSL_is_init_finished(a->impl) || !has_buffers(a))
		return;
	openssl_forget_errors();
	SSL_shutdown(a->impl);
	openssl_forget_errors();
}

static int64_t engine_deadline(struct assoc *a)
{
	struct timeval left;

	if (!SSL_is_dtls(a->impl) || DTLSv1_get_timeout(a->impl, &left) != 1)
		return -1;
	return left.tv_sec * NS_PER_SECOND + left.tv_usec * NS_PER_MICROSECOND;
}

static enum step engine_expire(struct assoc *a)
{
	blocks_wake(&a->blocks);
	openssl_forget_errors();
	if (!SSL_is_dtls(a->impl) || (has_buffers(a) && DTLSv1_handle_timeout(a->impl) >= 0))
		return STEP_DONE;
	openssl_fail_step(a, "retransmission");
	return STEP_FAILED;
}

static void engine_rest(struct assoc *a)
{
	if (!SSL_is_init_finished(a->impl))
		return;
	blocks_wake(&a->blocks);
	give_buffers_back(a);
	blocks_rest(&a->blocks);
}

const struct engine_ops engine_openssl = {
	.name = "openssl",
	.begin = openssl_memory,
	.version = engine_version,
	.build = openssl_build,
	.tells_secrets = true,
	.refuses = openssl_refuses,
	.domain_open = openssl_domain_open,
	.domain_close = openssl_domain_close,
	.open = engine_open,
	.close = engine_close,
	.listen = engine_listen,
	.handshake = engine_handshake,
	.read = engine_read,
	.write = engine_write,
	.shutdown = engine_shutdown,
	.deadline = engine_deadline,
	.expire = engine_expire,
	.rest = engine_rest,
	.facts = openssl_facts,
	.session_take = openssl_session_take,
	.session_offer = openssl_session_offer,
	.session_free = openssl_session_free,
	.early_room = openssl_early_room,
	.write_early = openssl_write_early,
};
