#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Memory that goes offline: pages that are free in the arena go back when they are
# asked for, by drop_caches. In a guest with a memory module that can go.
# shellcheck source=tools/test/guest/lib.sh
. /guest/lib.sh

M=/sys/devices/system/memory

# try MEMORY BLOCKS: so many that they reach it. Nothing here starts a process, whose
# page tables would stay in the memory: so echo alone. Other parts of the kernel may
# take some of it all the same; then it stays online, and the next one is tried, of
# which they have no need.
try() {
	state=$1/state
	echo online_kernel >"$state" || return
	echo "blocks $2" >$RUN
	echo blocks-end >$RUN
	held=yes gone=no
	echo offline >"$state" && held=no
	echo 2 >/proc/sys/vm/drop_caches
	echo offline >"$state" && gone=yes
} 2>/dev/null

load_with arena_min_mb=64
seen=
blocks=20000
for memory in "$M"/memory[0-9]*; do
	read -r state <"$memory/state"
	[ "$state" = offline ] || continue
	try "$memory" $blocks
	blocks=$((blocks + 32768))
	seen="$seen held $held gone $gone,"
	[ "$held $gone" != "yes yes" ] || break
done
case $seen in
*"held yes gone yes,") ok "memory with free pages of the arena goes when they were asked for" ;;
*) not_ok "memory did not go as it should:${seen:- there is none}" ;;
esac
is "nothing is broken" "$(broken)" 0
must run use 1000
drop_caches
is "no page is held" "$(value arena held)" 0
unload
