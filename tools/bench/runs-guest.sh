#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs in the guest (busybox): the lines of /runs, each a load through a freshly
# loaded curpage:
#
#	NAME|PARAMETERS|MODULE PARAMETERS
#
# the parameters of curpage.ko, and a module that does its load when it is
# loaded. Leaves in /out/NAME the files log (what the module said), before (the
# file buddy of debugfs before the load), buddy (after it), merged (when all has
# been joined that can be) and check.
# shellcheck source=tools/vm/lib/lib.sh
. /vm/lib.sh
set -eu

run() {
	out=/out/$1
	mkdir -p "$out"
	log_clear
	# shellcheck disable=SC2086
	insmod /curpage.ko $2
	cat $D/buddy >"$out/before"
	module=${3%% *}
	# shellcheck disable=SC2086
	insmod "/$module.ko" ${3#"$module"} || {
		dmesg | tail -5 >&2
		fail "$1: $module was not loaded"
	}
	log_of "$module" >"$out/log"
	cat $D/buddy >"$out/buddy"
	echo merge >$D/buddy
	cat $D/buddy >"$out/merged"
	cat $D/check >"$out/check"
	rmmod "$module"
	rmmod curpage
	all_returned || fail "$1: pages were not returned"
}

# Where alloc_pages() has little memory it is to have that, and nobody is to be
# woken to find more.
echo 128 >/proc/sys/vm/min_free_kbytes
echo 1 >/proc/sys/vm/watermark_scale_factor
echo 0 >/proc/sys/vm/watermark_boost_factor

mkdir -p /out
uname -r >/out/kernel
while IFS='|' read -r name parameters load; do
	run "$name" "$parameters" "$load" </dev/null
done </runs
echo 'bench: runs done'
