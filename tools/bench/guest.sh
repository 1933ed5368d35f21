#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs in the guest (busybox): measures, and prints what the module says.
#
# usage: guest.sh PARAMETERS ARGUMENT...
# PARAMETERS are curpage.ko's, joined by commas, or "-"; an ARGUMENT is a
# parameter of curpage_bench.ko.
set -eu

parameters=$1
shift
[ "$parameters" != - ] || parameters=
# shellcheck disable=SC2046
insmod /curpage.ko $(echo "$parameters" | tr , ' ')
status=0
insmod /curpage_bench.ko "$@" || status=$?
echo "kernel $(uname -r)"
dmesg | sed -n 's/.*curpage_bench: //p'
[ $status -eq 0 ] || exit $status
rmmod curpage_bench
read -r broken </sys/kernel/debug/curpage/check
[ "$broken" = 0 ] || {
	echo "bench: curpage_check() found $broken broken invariants" >&2
	exit 1
}
rmmod curpage
echo 'bench: measured'
