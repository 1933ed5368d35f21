#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A module as users build it refuses what is for comparison, and says what it needs.
# shellcheck source=tools/test/guest/lib.sh
. /guest/lib.sh

NEEDS="needs a module built with STUDY=1 (CONFIG_CURPAGE_STUDY)"
CACHE=$D/caches/ct-plain

# said WHAT LINE: has curpage said this line, and nothing else?
said() {
	is "$1: the log has one line" "$(log_lines | sort -u)" "curpage: $2"
}

parameter() {
	log_clear
	check "strategy=$1 is refused as a parameter" \
		eval "! insmod /curpage-plain.ko strategy=$1 2>/dev/null"
	check "and nothing is left behind" test ! -e /sys/module/curpage
	said "strategy=$1" "parameter strategy=$1: $2"
	rmmod curpage 2>/dev/null
}

written() {
	log_clear
	check "strategy '$1' is refused in use" \
		eval "! echo $1 2>/dev/null >$CACHE/strategy"
	said "strategy '$1'" "cache ct-plain: strategy $1: $2"
	is "strategy '$1' changes nothing" \
		"$(cat $CACHE/strategy) $(broken)" "mru 0"
}

parameter lru "must be one of $SHIPPED"
parameter stack "$NEEDS"
parameter nofree "$NEEDS"

must insmod /curpage-plain.ko
must insmod /curpage_test.ko
must run hold 1000
for strategy in $STUDIED; do
	written "$strategy" "$NEEDS"
done
written lru "must be one of $SHIPPED"

log_clear
check "strategy stack is refused to a new cache" eval "! run stack 2>/dev/null"
said "a new cache" "cache ct-stack: strategy stack: $NEEDS"
check "and there is no such cache" test ! -e $D/caches/ct-stack

for strategy in $(echo "$SHIPPED" | tr -d ,) mru; do
	check "strategy '$strategy' is taken in use" \
		eval "echo $strategy >$CACHE/strategy"
	is "and nothing is lost by it" \
		"$(value caches/ct-plain/stats live) $(broken)" "1000 0"
done
check "there is no file best_map" test ! -e $D/best_map
must run release
unload

# The same names, with the study.
load
check "with the study strategy stack is given to a new cache" run stack
check "and there is a file best_map" test -e $D/best_map
unload
