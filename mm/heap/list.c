// SPDX-License-Identifier: GPL-2.0
/* The list of all caches: rounds, figures and checks go through it. */
#include "base/kernel.h"
#include "heap/heap.h"

DEFINE_MUTEX(cp_caches_lock);	/* of the list, the watch and the numbers */
LIST_HEAD(cp_caches);
