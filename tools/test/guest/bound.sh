#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# arena_max_mb=1: an allocation past it gets NULL and is counted, and nothing
# else changes.
# shellcheck source=tools/test/guest/lib.sh
. /guest/lib.sh

# Everything that debugfs shows but the counters that are meant to move.
shown() {
	(cd $D && grep -r . slabinfo stats arena buddy caches |
		grep -Ev ':(at_bound|alloc_failed|external|desired) |^buddy: +[0-9]')
}

load_with arena_max_mb=1
log_clear
must run fill
is "1024 blocks of 1024 bytes fit into 1 MiB" "$(cat $RUN)" "blocks 1024"
is "256 pages are held" "$(value arena held)" 256
is "the allocation that got NULL is counted" \
	"$(value stats alloc_failed) $(value arena at_bound)" "1 1"
shown >/tmp/before
must run refused 100
is "100 more by size, of a cache and of pages get NULL, all counted" \
	"$(value stats alloc_failed) $(value arena at_bound)" "201 301"
shown >/tmp/after
check "nothing else has changed" cmp /tmp/before /tmp/after
is "nothing was said" "$(log_lines)" ""
is "nothing is broken" "$(broken)" 0
must run empty
must run hold 1000
is "after a free there is memory again" "$(value stats live)" 1000
must run release
drop_caches
is "no page is held" "$(value arena held)" 0
unload
