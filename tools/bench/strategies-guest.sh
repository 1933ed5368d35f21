#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs in the guest (busybox): the trace in /parts through a freshly loaded
# curpage with each strategy, and what was held after each part.
#
# usage: strategies-guest.sh PARAMETERS SIZE STRATEGY...
# PARAMETERS are curpage.ko's, joined by commas, or "-". SIZE is that of the
# blocks, for SLUB, which gets the same requests along with the first strategy.
# Leaves in /out/STRATEGY the files samples (a line LIVE PAGES HELD SLUB for each
# part, SLUB "-" where it got none), chunks and check.
set -eu

CURPAGE=/sys/kernel/debug/curpage
REPLAY=/sys/kernel/debug/curpage_replay

fail() {
	echo "bench: $*" >&2
	exit 1
}

# Columns 6 and 15 of slabinfo 2.1: pages of a slab, and slabs.
slub_pages() {
	[ -n "$slub" ] || { echo -; return; }
	# shellcheck disable=SC2046
	set -- $(grep '^curpage_replay ' /proc/slabinfo)
	[ $# -eq 16 ] || fail "/proc/slabinfo has no line for curpage_replay: $*"
	echo $(($6 * ${15}))
}

# Pages of caches and page blocks, what the caches keep included.
sample() {
	cache_pages='' block_pages='' held=''
	while read -r key value; do
		case $key in
		cache_pages) cache_pages=$value ;;
		block_pages) block_pages=$value ;;
		held) held=$value ;;
		esac
	done <$CURPAGE/arena
	live=$(sed -n 's/^live //p' $CURPAGE/stats)
	echo "$live $((cache_pages + block_pages)) $held $(slub_pages)"
}

# Nothing goes back by itself meanwhile, as in the lab.
run() {
	out=/out/$1
	mkdir -p "$out"
	# shellcheck disable=SC2046,SC2086
	insmod /curpage.ko idle_ms=0 "strategy=$1" $parameters
	# shellcheck disable=SC2086
	insmod /curpage_replay.ko placements=0 ${slub:+slub=$slub}
	exec 3>$REPLAY/trace
	for part in /parts/*; do
		cat "$part" >&3 || fail "$1: the replay refused ${part##*/}"
		sample
	done >"$out/samples"
	exec 3>&-
	cat $REPLAY/chunks >"$out/chunks"
	cat $CURPAGE/check >"$out/check"
	rmmod curpage_replay
	rmmod curpage
	dmesg | grep 'curpage: unloaded' | tail -1 |
		grep -q 'unloaded: 0 pages not returned' ||
		fail "$1: pages were not returned"
}

parameters=$1 slub=$2
shift 2
[ "$parameters" != - ] || parameters=
parameters=$(echo "$parameters" | tr , ' ')
mkdir -p /out
uname -r >/out/kernel
for strategy; do
	run "$strategy"
	slub=
done
echo 'bench: strategies compared'
