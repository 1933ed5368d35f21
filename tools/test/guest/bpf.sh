#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Run the bpftrace tools over a load of which everything is known. What they
# print, and what curpage has counted meanwhile, goes to /out.
# shellcheck source=tools/test/guest/lib.sh
. /guest/lib.sh

# A tool that has attached its probes waits for events: epoll_wait(2).
attached() {
	for _ in $(seq 600); do
		case $(cut -d ' ' -f 1 "/proc/$1/syscall" 2>/dev/null) in
		232 | 281) return 0 ;;
		esac
		kill -0 "$1" 2>/dev/null || return 1
		sleep 0.5
	done
	return 1
}

# ended PID: it prints its maps and goes. bpftrace 0.17 misses a signal that
# comes while it does not wait, so it is told until it listens.
ended() {
	for _ in $(seq 20); do
		kill -INT "$1" 2>/dev/null
		for _ in 1 2 3 4 5 6; do
			kill -0 "$1" 2>/dev/null || return 0
			sleep 0.5
		done
	done
	cat "/proc/$1/stack"
	kill -KILL "$1"
	return 1
}

# start NAME TOOL [ARGUMENT]
start() {
	name=$1
	shift
	bpftrace "$@" >"/out/$name.txt" 2>&1 &
	tools="$tools $!"
}

counters() {
	awk '$1 ~ /^(refill_s[123]|released|alloc|free)$/' "$D/$1"
}

load
mkdir -p /out
tools=
start cprefill /bpftrace/cprefill.bt
start cprefill-one /bpftrace/cprefill.bt "$(value caches/size-112/stats id)"
start cpsize /bpftrace/cpsize.bt
start cplife /bpftrace/cplife.bt
for pid in $tools; do
	check "a tool has attached its probes" attached "$pid"
done
counters stats >/out/before
counters caches/size-112/stats >/out/before-one
must run load
counters stats >/out/after
counters caches/size-112/stats >/out/after-one
cp $RUN /out/facts
sleep 1.5
for pid in $tools; do
	check "a tool ends when told to" ended "$pid"
done
is "nothing is broken" "$(broken)" 0
unload
