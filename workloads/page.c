/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page - the workload that answers with a page of a given size and kind, compressed
 * when the request accepts gzip. It must not know the protocol that asked.
 *
 *   /                  the page of the settings
 *   /page/SIZE         of their kind, SIZE as in "512" or "16KiB"
 *   /page/SIZE/KIND    json, text or random
 *
 * gzip is used whenever it is accepted and a level is set, also for an empty page and
 * for one that grows by it: a server that was told to compress compresses, and what that
 * costs is what is measured.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "lib/units.h"
#include "workloads/page_content.h"
#include "workloads/workload.h"

/*
 * Pages are kept for ever once built, as answers borrow them; when this much is kept,
 * further ones are built for each request in its scratch.
 */
#define PAGES_MAX      256
#define KEPT_BYTES_MAX (INT64_C(128) << 20)

#define METHODS "GET, HEAD, OPTIONS"

struct page {
	enum page_kind kind;
	size_t len;
	char *content;
	char *gzip; /* NULL: not compressed yet */
	size_t gzip_len;
};

struct pages {
	enum page_kind kind; /* of "/" */
	struct page page[PAGES_MAX];
	int count, last; /* last: the one asked for most recently */
	int64_t kept_bytes;
	z_stream deflate;
	bool deflate_open;
};

static void answer_text(struct app_response *r, int status, const char *text)
{
	*r = (struct app_response){ .status = status,
				    .content_type = "text/plain; charset=utf-8",
				    .body = text,
				    .body_bytes = strlen(text),
				    .keep_alive = true };
}

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
	if (target[0] == '/' && (target[1] == '\0' || target[1] == '?'))
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

/* Reset first: after a finished stream deflateBound() forgets the gzip header. */
static size_t compressed_bound(struct pages *p, size_t len)
{
	deflateReset(&p->deflate);
	return deflateBound(&p->deflate, len);
}

/* After compressed_bound(), with at least as much room. Returns the length, 0: zlib failed. */
static size_t compress_page(struct pages *p, const char *src, size_t len, char *dst, size_t room)
{
	z_stream *z = &p->deflate;

	z->next_in = (Bytef *)(uintptr_t)src;
	z->avail_in = (uInt)len;
	z->next_out = (Bytef *)dst;
	z->avail_out = (uInt)room;
	return deflate(z, Z_FINISH) == Z_STREAM_END ? room - z->avail_out : 0;
}

static bool keep_compressed(struct pages *p, struct page *page)
{
	size_t room = compressed_bound(p, page->len);
	char *gzip = malloc(room), *smaller;

	if (!gzip)
		return false;
	page->gzip_len = compress_page(p, page->content, page->len, gzip, room);
	if (page->gzip_len == 0) {
		free(gzip);
		return false;
	}
	smaller = realloc(gzip, page->gzip_len);
	page->gzip = smaller ? smaller : gzip;
	p->kept_bytes += (int64_t)page->gzip_len;
	return true;
}

/* A page that is not kept stands in scratch; its compressed form goes behind it. */
static bool compress_into(struct pages *p, const struct page *page, struct buf *scratch,
			  struct app_response *r)
{
	size_t before = scratch->len, room = compressed_bound(p, page->len), len;
	char *dst = buf_reserve(scratch, room);
	const char *src = page->content ? page->content : scratch->data;

	len = dst ? compress_page(p, src, page->len, dst, room) : 0;
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

	r->encoding = APP_GZIP;
	if (w->params.gzip_once && page->content) {
		if (!page->gzip && !keep_compressed(p, page))
			return false;
		r->body = page->gzip;
		r->body_bytes = page->gzip_len;
		return true;
	}
	return compress_into(p, page, scratch, r);
}

static void answer_page(struct workload *w, const struct app_request *q, enum page_kind kind,
			size_t len, struct buf *scratch, struct app_response *r)
{
	struct pages *p = w->impl;
	struct page unkept = { .kind = kind, .len = len }, *page = find(p, kind, len);
	bool compress = w->params.gzip_level > 0 && (q->accepts & 1u << APP_GZIP);

	if (!page)
		page = build(p, kind, len);
	if (!page)
		page = &unkept;
	*r = (struct app_response){ .status = 200,
				    .content_type = page_content_type[kind],
				    .vary = w->params.gzip_level > 0,
				    .keep_alive = true };
	buf_clear(scratch);
	if (!give_content(page, scratch, r) || (compress && !give_compressed(w, page, scratch, r)))
		answer_text(r, 500, "no memory for a page of this size\n");
}

static void answer(struct workload *w, const struct app_request *q, struct buf *scratch,
		   struct app_response *r)
{
	enum page_kind kind;
	int64_t len;

	if (q->method == APP_OPTIONS) {
		*r = (struct app_response){ .status = 204, .allow = METHODS, .keep_alive = true };
	} else if (!read_target(w, q->target, &kind, &len)) {
		answer_text(r, 404,
			    "not found: there are / and /page/SIZE and "
			    "/page/SIZE/json|text|random\n");
	} else if (q->method != APP_GET && q->method != APP_HEAD) {
		answer_text(r, 405, "pages can only be read\n");
		r->allow = METHODS;
	} else {
		answer_page(w, q, kind, (size_t)len, scratch, r);
	}
}

static int check_params(struct workload *w)
{
	const struct workload_params *s = &w->params;

	/* zlib counts in 32 bits. */
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
	if (s->gzip_level < 0 || s->gzip_level > 9)
		return fail_set(&w->fail, EINVAL, "the gzip level is %d: 1 to 9, or 0 for never",
				s->gzip_level);
	return 0;
}

#define GZIP_WINDOW_BITS (15 + 16) /* 16: a gzip header, not zlib's own */
#define MEMORY_LEVEL     8

static int prepare(struct workload *w)
{
	struct pages *p = w->impl;

	p->kind = page_kind_by_name(w->params.payload_kind);
	if (w->params.gzip_level > 0) {
		if (deflateInit2(&p->deflate, w->params.gzip_level, Z_DEFLATED, GZIP_WINDOW_BITS,
				 MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
			return -1;
		p->deflate_open = true;
	}
	return build(p, p->kind, (size_t)w->params.payload_bytes) ? 0 : -1;
}

static void close_pages(struct workload *w)
{
	struct pages *p = w->impl;

	if (!p)
		return;
	for (int i = 0; i < p->count; i++) {
		free(p->page[i].content);
		free(p->page[i].gzip);
	}
	if (p->deflate_open)
		deflateEnd(&p->deflate);
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
