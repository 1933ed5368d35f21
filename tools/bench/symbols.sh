#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs in the guest (busybox): runs a case once, and says where the two modules
# lie in memory. usage: symbols.sh CASE
# shellcheck source=tools/vm/lib/lib.sh
. /vm/lib.sh
set -eu

insmod /curpage.ko
# Before the case runs: its init code is thrown away then.
grep '\[curpage\]$' /proc/kallsyms
insmod /curpage_bench.ko "cases=$1" rounds=1
grep '\[curpage_bench\]$' /proc/kallsyms
grep '^curpage' /proc/modules
log_of curpage_bench
