#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Going away while something is live: what is leaked is reported and accounted
# for; with a live cache curpage stays. The last script of a guest, as it leaves
# both behind.
# shellcheck source=tools/test/guest/lib.sh
. /guest/lib.sh

load
must run leak 3
must rmmod curpage_test
log_clear
check "rmmod with blocks live" rmmod curpage
is "the leak is reported with its count, by size and in pages" \
	"$(log_lines | sed 's/ by .*//')" \
	"curpage: leak: cache size-112, 3 blocks live,
curpage: leak: cache (none), 6 pages live,
curpage: unloaded: 7 pages not returned"

load
must run use 1000
drop_caches
is "curpage works when it is loaded again" \
	"$(value arena held) $(value stats live) $(broken)" "0 0 0"

must run abandon
must rmmod curpage_test
said=$(rmmod curpage 2>&1)
is "rmmod is refused while a cache lives" "$said" \
	"rmmod: can't unload module 'curpage': Resource temporarily unavailable"
check "the cache is there" test -d $D/caches/ct-abandoned
is "nothing is broken" "$(broken)" 0
