#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs in the guest (busybox): drives the load through its phases and writes what
# each allocator holds, sample by sample, to /out/samples.csv.
#
# usage: guest.sh SEED PARAMETERS RUN...
# SEED is where the random choices start.
# PARAMETERS are curpage.ko's, one word each, joined by commas, or "-".
# A RUN is SIZE:OBJECTS:FULL:HALF, FULL lifetimes of churn with OBJECTS live and
# HALF with half of them.
# shellcheck source=tools/vm/lib/lib.sh
. /vm/lib.sh
set -eu

LOAD=/sys/kernel/debug/curpage_load
FILL_STEPS=8	# samples while the objects are allocated, and freed

# sample PHASE LIFETIMES: what both hold now, with what is live.
sample() {
	read_arena
	slub_pages curpage_load
	while read -r key value; do
		[ "$key" != live ] || live=$value
	done <$LOAD/state
	ideal=$(((live + per_page - 1) / per_page))
	echo "$size,$objects,$1,$2,$live,$ideal,$slub,$held,$cache_pages,$free_pages" \
		>>/out/samples.csv
}

show() {
	printf '%5s bytes, %7s live, %-26s ideal %6s  SLUB %6s  curpage %6s\n' \
		"$size" "$live" "$1:" "$ideal" "$slub" "$held"
}

command() {
	echo "$*" >$LOAD/run || fail "the load refused '$*'"
}

# ramp COMMAND FROM TO PHASE: in steps, a sample after each.
ramp() {
	step=1
	while [ $step -le $FILL_STEPS ]; do
		command "$1" $(($2 + ($3 - $2) * step / FILL_STEPS))
		sample "$4" 0
		step=$((step + 1))
	done
}

# churn PHASE LIFETIMES SAMPLES, so many of them in each lifetime.
churn() {
	count=1
	while [ $count -le $(($2 * $3)) ]; do
		command churn $((live * count / $3 - live * (count - 1) / $3))
		tenths=$((count * 10 / $3))
		sample "$1" $((tenths / 10)).$((tenths % 10))
		case $count in
		$((1 * $3)) | $((3 * $3)) | $((10 * $3)) | $(($2 * $3)))
			show "$((count / $3)) of $2 lifetimes" ;;
		esac
		count=$((count + 1))
	done
}

# What curpage says of itself, with its own walk over every structure.
keep_debugfs() {
	mkdir -p "/out/debugfs/${size}x$objects"
	cp -r $D/* "/out/debugfs/${size}x$objects/"
	read -r broken <"/out/debugfs/${size}x$objects/check"
	[ "$broken" = 0 ] || fail "curpage_check() found $broken broken invariants"
}

run() {
	size=$1 objects=$2 full=$3 half=$4
	per_page=$((4096 / size))
	insmod /curpage_load.ko "size=$size" "objects=$objects" "seed=$seed"
	sample start 0
	[ "$held" = 0 ] || fail "curpage holds $held pages before the load"
	ramp grow 0 "$objects" fill
	show 'filled'
	churn full "$full" 1
	ramp drop "$objects" $((objects / 2)) drop
	show 'half freed at random'
	churn half "$half" 2
	keep_debugfs
	ramp drop $((objects / 2)) 0 free
	command shrink
	sample shrink 0
	show 'all freed, shrunk'
	rmmod curpage_load
}

seed=$1
parameters=$2
shift 2
# One processor for everything: each allocator then works on one heap, and
# neither gains or loses by where the scheduler puts the load.
taskset -p 1 $$ >/dev/null
# shellcheck disable=SC2046
insmod /curpage.ko $(words "$parameters")
mkdir -p /out
uname -r >/out/kernel
echo 'size,objects,phase,lifetimes,live,ideal,slub,curpage,curpage_cache,curpage_free' \
	>/out/samples.csv
for each in "$@"; do
	# shellcheck disable=SC2046
	run $(echo "$each" | tr : ' ')
done
rmmod curpage
echo 'demo: load done'
