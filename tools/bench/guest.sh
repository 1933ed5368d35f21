#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs in the guest (busybox): measures, and prints what the module says.
#
# usage: guest.sh PARAMETERS ARGUMENT...
# PARAMETERS are curpage.ko's, joined by commas, or "-"; an ARGUMENT is a
# parameter of curpage_bench.ko.
# shellcheck source=tools/vm/lib/lib.sh
. /vm/lib.sh
set -eu

parameters=$1
shift
# shellcheck disable=SC2046
insmod /curpage.ko $(words "$parameters")
status=0
insmod /curpage_bench.ko "$@" || status=$?
echo "kernel $(uname -r)"
log_of curpage_bench
[ $status -eq 0 ] || exit $status
rmmod curpage_bench
[ "$(broken)" = 0 ] || fail "curpage_check() finds broken invariants: $(broken)"
rmmod curpage
echo 'bench: measured'
