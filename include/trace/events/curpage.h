/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints of curpage.  They have no strings: a cache is named by its
 * number, which debugfs shows in caches/NAME/stats.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM curpage

#if !defined(_TRACE_CURPAGE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_CURPAGE_H

#include <linux/tracepoint.h>
#include <linux/types.h>

/*
 * While curpage_alloc or curpage_free is on, all heaps are closed to the fast
 * path.
 */
int cp_trace_begin(void);
void cp_trace_end(void);

/*
 * A block is allocated: size is what the caller asked for, class_size what it
 * got.
 */
TRACE_EVENT_FN(curpage_alloc,
	TP_PROTO(unsigned long call_site, const void *ptr, unsigned int cache,
		 size_t size, size_t class_size, gfp_t gfp),
	TP_ARGS(call_site, ptr, cache, size, class_size, gfp),
	TP_STRUCT__entry(
		__field(unsigned long, call_site)
		__field(const void *, ptr)
		__field(unsigned int, cache)
		__field(size_t, size)
		__field(size_t, class_size)
		__field(unsigned long, gfp)
	),
	TP_fast_assign(
		__entry->call_site = call_site;
		__entry->ptr = ptr;
		__entry->cache = cache;
		__entry->size = size;
		__entry->class_size = class_size;
		__entry->gfp = (__force unsigned long)gfp;
	),
	TP_printk("call_site=%pS ptr=%p cache=%u size=%zu class_size=%zu gfp=%#lx",
		  (void *)__entry->call_site, __entry->ptr, __entry->cache,
		  __entry->size, __entry->class_size, __entry->gfp),
	cp_trace_begin, cp_trace_end
);

TRACE_EVENT_FN(curpage_free,
	TP_PROTO(unsigned long call_site, const void *ptr, unsigned int cache,
		 bool remote),
	TP_ARGS(call_site, ptr, cache, remote),
	TP_STRUCT__entry(
		__field(unsigned long, call_site)
		__field(const void *, ptr)
		__field(unsigned int, cache)
		__field(unsigned int, remote)
	),
	TP_fast_assign(
		__entry->call_site = call_site;
		__entry->ptr = ptr;
		__entry->cache = cache;
		__entry->remote = remote;
	),
	TP_printk("call_site=%pS ptr=%p cache=%u remote=%u",
		  (void *)__entry->call_site, __entry->ptr, __entry->cache,
		  __entry->remote),
	cp_trace_begin, cp_trace_end
);

/* A page becomes the current page; source is 3, 2 or 1 for S3, S2 and S1. */
TRACE_EVENT(curpage_refill,
	TP_PROTO(unsigned int cache, unsigned long pfn, unsigned int source,
		 unsigned int nr_free),
	TP_ARGS(cache, pfn, source, nr_free),
	TP_STRUCT__entry(
		__field(unsigned int, cache)
		__field(unsigned long, pfn)
		__field(unsigned int, source)
		__field(unsigned int, nr_free)
	),
	TP_fast_assign(
		__entry->cache = cache;
		__entry->pfn = pfn;
		__entry->source = source;
		__entry->nr_free = nr_free;
	),
	TP_printk("cache=%u pfn=%lu source=S%u nr_free=%u", __entry->cache,
		  __entry->pfn, __entry->source, __entry->nr_free)
);

/* An empty page leaves its cache for the arena. */
TRACE_EVENT(curpage_page_release,
	TP_PROTO(unsigned int cache, unsigned long pfn),
	TP_ARGS(cache, pfn),
	TP_STRUCT__entry(
		__field(unsigned int, cache)
		__field(unsigned long, pfn)
	),
	TP_fast_assign(
		__entry->cache = cache;
		__entry->pfn = pfn;
	),
	TP_printk("cache=%u pfn=%lu", __entry->cache, __entry->pfn)
);

/* Events of blocks of 2^order pages. */
DECLARE_EVENT_CLASS(curpage_block,
	TP_PROTO(unsigned long pfn, unsigned int order),
	TP_ARGS(pfn, order),
	TP_STRUCT__entry(
		__field(unsigned long, pfn)
		__field(unsigned int, order)
	),
	TP_fast_assign(
		__entry->pfn = pfn;
		__entry->order = order;
	),
	TP_printk("pfn=%lu order=%u", __entry->pfn, __entry->order)
);

/* A block of this order is cut in two. */
DEFINE_EVENT(curpage_block, curpage_split,
	TP_PROTO(unsigned long pfn, unsigned int order),
	TP_ARGS(pfn, order));

/* Two buddies become a block of this order. */
DEFINE_EVENT(curpage_block, curpage_merge,
	TP_PROTO(unsigned long pfn, unsigned int order),
	TP_ARGS(pfn, order));

DEFINE_EVENT(curpage_block, curpage_chunk_take,
	TP_PROTO(unsigned long pfn, unsigned int order),
	TP_ARGS(pfn, order));

/* A free block of a chunk, or all of the chunk, goes back to the system. */
DEFINE_EVENT(curpage_block, curpage_chunk_return,
	TP_PROTO(unsigned long pfn, unsigned int order),
	TP_ARGS(pfn, order));

/* Pages become a run of first fit, or cease to be one. */
DEFINE_EVENT(curpage_block, curpage_run_take,
	TP_PROTO(unsigned long pfn, unsigned int order),
	TP_ARGS(pfn, order));

DEFINE_EVENT(curpage_block, curpage_run_return,
	TP_PROTO(unsigned long pfn, unsigned int order),
	TP_ARGS(pfn, order));

#endif /* _TRACE_CURPAGE_H */

#include <trace/define_trace.h>
