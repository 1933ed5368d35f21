#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Load, use and unload 100 times; nothing may be left.
# shellcheck source=tools/test/guest/lib.sh
. /guest/lib.sh

# Pages that are free, on the lists of the CPUs too. Between two loads of a
# guest at rest this was seen to move by 20 pages, and by 120 in the first
# loads, when kernel and shell fill their caches. So after the first 20 loads
# the other 80 may cost 40 pages: half a page a load is found.
SETTLED=20
LOADS=100
SLACK=40

free_pages() {
	echo 3 >/proc/sys/vm/drop_caches
	sleep 0.5
	awk '$1 == "nr_free_pages" || $1 == "count:" { n += $2 }
	END { print n }' /proc/zoneinfo
}

slab_kb() {
	awk '$1 == "SUnreclaim:" { print $2 }' /proc/meminfo
}

one() {
	insmod /curpage.ko && insmod /curpage_test.ko && run use 500 &&
		[ "$(broken)" = 0 ] && rmmod curpage_test && rmmod curpage
}

log_clear
done=0
while [ $done -lt $LOADS ]; do
	one || break
	done=$((done + 1))
	[ $done -eq $SETTLED ] && pages=$(free_pages) && slab=$(slab_kb)
done
is "$LOADS times loaded, used, unbroken, unloaded" $done $LOADS
[ $done -eq $LOADS ] || exit 1

lost=$((pages - $(free_pages)))
grown=$(($(slab_kb) - slab))
echo "# the last $((LOADS - SETTLED)) loads: $lost pages less, slab $grown KiB more"
check "at most $SLACK pages less than after $SETTLED loads: $lost" \
	test $lost -le $SLACK
check "slab at most $((SLACK * 4)) KiB more: $grown" \
	test $grown -le $((SLACK * 4))
is "each time no page was left" \
	"$(log_lines | grep -c '^curpage: unloaded: 0 pages not returned$')" \
	$LOADS
is "nothing else was said" "$(log_lines | grep -Evc ': (un)?loaded: ')" 0
