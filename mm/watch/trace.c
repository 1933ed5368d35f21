// SPDX-License-Identifier: GPL-2.0
/* Define the tracepoints. */
#include "base/kernel.h"

#define CREATE_TRACE_POINTS
#include <trace/events/curpage.h>

EXPORT_TRACEPOINT_SYMBOL_GPL(curpage_refill);
EXPORT_TRACEPOINT_SYMBOL_GPL(curpage_chunk_take);
EXPORT_TRACEPOINT_SYMBOL_GPL(curpage_run_take);
EXPORT_TRACEPOINT_SYMBOL_GPL(curpage_run_return);
