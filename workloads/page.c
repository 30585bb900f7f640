/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page - the workload that answers with a page of a given size and kind, compressed
 * when the request accepts gzip. It must not know the protocol that asked.
 *
 *   /                  the page of the settings
 *   /page/SIZE         of their kind, SIZE as in "512" or "16KiB"
 *   /page/SIZE/KIND    json, text or random
 *
 * A content coding is used whenever it is accepted and has a level, also for an empty page
 * and for one that grows by it: a server that was told to compress compresses, and what
 * that costs is what is measured.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/units.h"
#include "workloads/compress.h"
#include "workloads/page_content.h"
#include "workloads/workload.h"

/*
 * Pages are kept for ever once built, as answers borrow them; when this much is kept,
 * further ones are built for each request in its scratch.
 */
#define PAGES_MAX      256
#define KEPT_BYTES_MAX (INT64_C(128) << 20)

struct page {
	enum page_kind kind;
	size_t len;
	char *content;
	char *coded[APP_ENCODINGS]; /* NULL: not compressed yet */
	size_t coded_len[APP_ENCODINGS];
};

struct pages {
	enum page_kind kind; /* of "/" */
	struct page page[PAGES_MAX];
	int count, last; /* last: the one asked for most recently */
	int64_t kept_bytes;
	struct compressor compressor;
	bool compresses; /* some coding has a level */
};

/* "SIZE" or "SIZE/KIND" behind "/page/", up to a query. */
static bool read_page_path(const struct workload *w, const char *path, enum page_kind *kind,
			   int64_t *len)
{
	struct fail ignored = { 0 };
	char size[32], name[16];
	size_t n = strcspn(path, "/?");

	if (n >= sizeof size)
		return false;
	memcpy(size, path, n);
	size[n] = '\0';
	if (units_bytes(size, len, &ignored) != 0 || *len > w->params.payload_bytes_max)
		return false;
	path += n;
	if (*path != '/')
		return true;
	n = strcspn(++path, "?");
	if (n >= sizeof name)
		return false;
	memcpy(name, path, n);
	name[n] = '\0';
	*kind = page_kind_by_name(name);
	return *kind < PAGE_KINDS;
}

static bool read_target(const struct workload *w, const char *target, enum page_kind *kind,
			int64_t *len)
{
	const struct pages *p = w->impl;

	*kind = p->kind;
	*len = w->params.payload_bytes;
	if (workload_is_at(target, "/"))
		return true;
	return strncmp(target, "/page/", 6) == 0 && read_page_path(w, target + 6, kind, len);
}

static struct page *find(struct pages *p, enum page_kind kind, size_t len)
{
	for (int n = 0, i = p->last; n < p->count; n++, i = (i + 1) % p->count)
		if (p->page[i].len == len && p->page[i].kind == kind) {
			p->last = i;
			return &p->page[i];
		}
	return NULL;
}

/* NULL: no more are kept, or there is no memory. */
static struct page *build(struct pages *p, enum page_kind kind, size_t len)
{
	struct page *page = &p->page[p->count];

	if (p->count == PAGES_MAX ||
	    (p->count > 0 && p->kept_bytes + (int64_t)len > KEPT_BYTES_MAX))
		return NULL;
	/* One byte more: an empty page has an address too. */
	page->content = malloc(len + 1);
	if (!page->content)
		return NULL;
	page_fill(kind, page->content, len);
	page->kind = kind;
	page->len = len;
	p->kept_bytes += (int64_t)len;
	p->last = p->count++;
	return page;
}

static bool keep_compressed(struct pages *p, struct page *page, enum app_encoding e)
{
	size_t room = compress_bound(&p->compressor, e, page->len), len;
	char *coded = malloc(room), *smaller;

	if (!coded)
		return false;
	len = compress_bytes(&p->compressor, e, page->content, page->len, coded, room);
	if (len == 0) {
		free(coded);
		return false;
	}
	smaller = realloc(coded, len);
	page->coded[e] = smaller ? smaller : coded;
	page->coded_len[e] = len;
	p->kept_bytes += (int64_t)len;
	return true;
}

/* A page that is not kept stands in scratch; its compressed form goes behind it. */
static bool compress_into(struct pages *p, const struct page *page, struct buf *scratch,
			  struct app_response *r)
{
	size_t before = scratch->len, room, len;
	const char *src;
	char *dst;

	room = compress_bound(&p->compressor, r->encoding, page->len);
	dst = buf_reserve(scratch, room);
	src = page->content ? page->content : scratch->data;
	len = dst ? compress_bytes(&p->compressor, r->encoding, src, page->len, dst, room) : 0;
	if (len == 0)
		return false;
	scratch->len = before + len;
	r->body = scratch->data + before;
	r->body_bytes = len;
	return true;
}

static bool give_content(const struct page *page, struct buf *scratch, struct app_response *r)
{
	char *dst;

	r->body_bytes = page->len;
	r->body = page->content;
	if (page->content)
		return true;
	dst = buf_reserve(scratch, page->len);
	if (!dst)
		return false;
	page_fill(page->kind, dst, page->len);
	scratch->len += page->len;
	r->body = dst;
	return true;
}

static bool give_compressed(const struct workload *w, struct page *page, struct buf *scratch,
			    struct app_response *r)
{
	struct pages *p = w->impl;
	enum app_encoding e = r->encoding;

	if (!w->params.compress_once || !page->content)
		return compress_into(p, page, scratch, r);
	if (!page->coded[e] && !keep_compressed(p, page, e))
		return false;
	r->body = page->coded[e];
	r->body_bytes = page->coded_len[e];
	return true;
}

static void answer_page(struct workload *w, const struct app_request *q, enum page_kind kind,
			size_t len, struct buf *scratch, struct app_response *r)
{
	struct pages *p = w->impl;
	struct page unkept = { .kind = kind, .len = len }, *page = find(p, kind, len);

	if (!page)
		page = build(p, kind, len);
	if (!page)
		page = &unkept;
	*r = (struct app_response){ .status = 200,
				    .content_type = page_content_type[kind],
				    .encoding = compress_choose(&p->compressor, q->accepts),
				    .vary = p->compresses,
				    .keep_alive = true };
	buf_clear(scratch);
	if (!give_content(page, scratch, r) ||
	    (r->encoding != APP_IDENTITY && !give_compressed(w, page, scratch, r)))
		workload_say(r, 500, "no memory for a page of this size\n");
}

static void answer(struct workload *w, const struct app_request *q, struct buf *scratch,
		   struct app_response *r)
{
	static const struct workload_door door = {
		.methods = 1 << APP_GET | 1 << APP_HEAD,
		.allow = "GET, HEAD, OPTIONS",
		.not_found = "not found: there are / and /page/SIZE and "
			     "/page/SIZE/json|text|random\n",
		.not_allowed = "pages can only be read\n",
	};
	enum page_kind kind;
	int64_t len;
	bool found = read_target(w, q->target, &kind, &len);

	if (!workload_turns_away(&door, q, found, r))
		answer_page(w, q, kind, (size_t)len, scratch, r);
}

static int check_params(struct workload *w)
{
	const struct workload_params *s = &w->params;

	/* zlib counts in 32 bits, and brotli's bound ends there. */
	if (s->payload_bytes_max < 0 || s->payload_bytes_max > INT32_MAX)
		return fail_set(&w->fail, EINVAL, "the largest page must be at most %d bytes",
				INT32_MAX);
	if (s->payload_bytes < 0 || s->payload_bytes > s->payload_bytes_max)
		return fail_set(&w->fail, EINVAL,
				"a page of %lld bytes is larger than the largest, %lld",
				(long long)s->payload_bytes, (long long)s->payload_bytes_max);
	if (page_kind_by_name(s->payload_kind) == PAGE_KINDS)
		return fail_set(&w->fail, EINVAL,
				"\"%.40s\" is no kind of page: json, text or random",
				s->payload_kind);
	return 0;
}

static int prepare(struct workload *w)
{
	struct pages *p = w->impl;

	p->kind = page_kind_by_name(w->params.payload_kind);
	if (compress_open(&p->compressor, w->params.level, &w->fail) != 0)
		return -1;
	for (int e = APP_IDENTITY + 1; e < APP_ENCODINGS; e++)
		p->compresses |= w->params.level[e] > 0;
	return build(p, p->kind, (size_t)w->params.payload_bytes) ? 0 : -1;
}

static void close_pages(struct workload *w)
{
	struct pages *p = w->impl;

	if (!p)
		return;
	for (int i = 0; i < p->count; i++) {
		free(p->page[i].content);
		for (int e = 0; e < APP_ENCODINGS; e++)
			free(p->page[i].coded[e]);
	}
	compress_close(&p->compressor);
	free(p);
	w->impl = NULL;
}

static int open_pages(struct workload *w)
{
	if (check_params(w) != 0)
		return -1;
	w->impl = calloc(1, sizeof(struct pages));
	if (w->impl && prepare(w) == 0)
		return 0;
	close_pages(w);
	return fail_set(&w->fail, ENOMEM, "no memory for the page workload");
}

const struct workload_ops workload_page = {
	.name = "page",
	.help = "pages of any size; / is the one set by --payload, /page/SIZE[/KIND] any other",
	.open = open_pages,
	.close = close_pages,
	.answer = answer,
};
