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
# shellcheck source=tools/vm/lib/lib.sh
. /vm/lib.sh
set -eu

REPLAY=/sys/kernel/debug/curpage_replay

# Pages of caches and page blocks, what the caches keep included.
sample() {
	read_arena
	slub=-
	[ -z "$slub_size" ] || slub_pages curpage_replay
	echo "$(value stats live) $((cache_pages + block_pages)) $held $slub"
}

# Nothing goes back by itself meanwhile, as in the lab.
run() {
	out=/out/$1
	mkdir -p "$out"
	# shellcheck disable=SC2046,SC2086
	insmod /curpage.ko idle_ms=0 "strategy=$1" $parameters
	# shellcheck disable=SC2086
	insmod /curpage_replay.ko placements=0 ${slub_size:+slub=$slub_size}
	exec 3>$REPLAY/trace
	for part in /parts/*; do
		cat "$part" >&3 || fail "$1: the replay refused ${part##*/}"
		sample
	done >"$out/samples"
	exec 3>&-
	cat $REPLAY/chunks >"$out/chunks"
	cat $D/check >"$out/check"
	rmmod curpage_replay
	rmmod curpage
	all_returned || fail "$1: pages were not returned"
}

parameters=$(words "$1") slub_size=$2
shift 2
mkdir -p /out
uname -r >/out/kernel
for strategy; do
	run "$strategy"
	slub_size=
done
echo 'bench: strategies compared'
