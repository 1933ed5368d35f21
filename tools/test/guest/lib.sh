# SPDX-License-Identifier: GPL-2.0
# For the scripts of tools/test/guest: what they do with curpage_test, and names.
# shellcheck shell=sh disable=SC2034 # used by those who read this in
# shellcheck source=tools/vm/lib/lib.sh
. /vm/lib.sh
set -u

RUN=/sys/kernel/debug/curpage_test/run
SELF=$(basename "$0" .sh)

load() {
	must insmod /curpage.ko
	must insmod /curpage_test.ko
}

# load_with PARAMETER=VALUE...
load_with() {
	must insmod /curpage.ko "$@"
	must insmod /curpage_test.ko
}

unload() {
	must rmmod curpage_test
	must rmmod curpage
}

run() {
	echo "$*" >$RUN
}

# What curpage has said since, without the time; not what the kernel says in
# its name of every module that is not its own.
log_lines() {
	dmesg | sed -n 's/^\[[ 0-9.]*\] \(curpage: \)/\1/p' |
		grep -v ' taint'
}

# The shrinker passes over the caches while somebody else has their list, as the look
# for what is idle does now and then. Reading check waits for that to end.
drop_caches() {
	echo 2 >/proc/sys/vm/drop_caches
	broken >/dev/null
	echo 2 >/proc/sys/vm/drop_caches
}

# As messages name them.
STRATEGIES="mru, least-free, most-free, random-b, quick, first-fit, stack, queue, random, nofree, least-free-8, lowest-page"

# Those of a module without the study, and the other ones.
SHIPPED="mru, least-free, least-free-8, lowest-page"
STUDIED="most-free random-b quick first-fit stack queue random nofree"
