# SPDX-License-Identifier: GPL-2.0
# For the scripts that busybox runs in a guest: one line a check, what the
# modules are called, what the log and debugfs say.
# shellcheck shell=sh disable=SC2034 # used by those who read this in
set -u

D=/sys/kernel/debug/curpage
RUN=/sys/kernel/debug/curpage_test/run
SELF=$(basename "$0" .sh)

ok() {
	echo "ok - $SELF: $*"
}

not_ok() {
	echo "not ok - $SELF: $*"
}

# check WHAT COMMAND...: does the command succeed?
check() {
	what=$1
	shift
	if "$@"; then ok "$what"; else not_ok "$what"; fi
}

# is WHAT GOT WANTED
is() {
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1: '$2', not '$3'"
	fi
}

# What cannot fail when curpage works; nothing after it means anything if not.
must() {
	"$@" && return
	not_ok "failed: $*"
	exit 1
}

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

# value FILE KEY: the number after the key in a file of debugfs
value() {
	awk -v key="$2" '$1 == key { print $2 }' "$D/$1"
}

log_clear() {
	dmesg -c >/dev/null
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

broken() {
	cat $D/check
}
