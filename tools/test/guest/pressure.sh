#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The shrinker, called by drop_caches: what is cached and what is free goes
# back, what is live stays.
# shellcheck source=tools/test/guest/lib.sh
. /guest/lib.sh

load
must run use 3000
check "after a load that freed everything, pages are held" \
	test "$(value arena held)" -gt 0
drop_caches
is "the shrinker gives all of them back" "$(value arena held)" 0

must run hold 1000
must run use 1000
drop_caches
is "beside 1000 live blocks, only their 12 pages stay" \
	"$(value arena held) $(value stats pages)" "12 12"
is "and the blocks are live" "$(value stats live)" 1000

must run thin
drop_caches
is "every page has live blocks: none can go" "$(value arena held)" 12
must run release
drop_caches
is "they were freed: all pages go" "$(value arena held)" 0

must run remote 1000
is "blocks freed on another CPU are counted" \
	"$(value caches/ct-plain/stats free_remote)" 1000
drop_caches
is "and their pages go, too" "$(value arena held)" 0
is "nothing is broken" "$(broken)" 0
unload

# Neither in the arena nor in S2: the page is current, and empty.
load_with keep=0 chunk_order=0
must run hold 1
must run release
is "an empty current page is held" "$(value arena held)" 1
drop_caches
is "the shrinker gives it back, too" "$(value arena held)" 0
unload

# A change of strategy stands in for a CPU for as long as it sorts its pages, and one
# that comes meanwhile has to wait; the shrinker does not.
T=/sys/kernel/tracing

# waits FUNCTION: how often a mutex was waited for with it on the stack
waits() {
	awk -v fn="$1" '
	/<stack trace>/ { mutex = 0 }
	/=> .*mutex_lock/ { mutex = 1 }
	$2 == fn && mutex { n++; mutex = 0 }
	END { print n + 0 }' $T/trace
}

# change NAME: strategies of the cache, until a file is gone
change() {
	while [ -e /tmp/change ]; do
		echo "$1" >$D/caches/ct-plain/strategy
		echo mru >$D/caches/ct-plain/strategy
	done
}

load_with idle_ms=0
must run hold 100000
must run thin
echo stacktrace >$T/events/lock/contention_begin/trigger
: >/tmp/change
change least-free &
change most-free &
i=0
while [ $((i += 1)) -le 100 ]; do
	must run use 10
	echo 2 >/proc/sys/vm/drop_caches
done
rm /tmp/change
wait
echo '!stacktrace' >$T/events/lock/contention_begin/trigger
check "a change of strategy waits for another" \
	test "$(waits cp_cache_retune)" -gt 0
is "the shrinker waits for none" "$(waits cp_shrink_scan)" 0
must run release
unload

# Compaction and the like look at every page of the machine, whatever we keep where
# its place in a list would be.
for strategy in mru least-free random-b lowest-page random first-fit queue; do
	load_with "strategy=$strategy"
	must run hold 40000
	must run thin
	echo 1 >/proc/sys/vm/compact_memory
	cat /proc/kpageflags >/dev/null
	is "memory is compacted beside our pages: $strategy" "$(broken)" 0
	must run release
	unload
done
