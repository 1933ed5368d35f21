# SPDX-License-Identifier: GPL-2.0
# For the scripts that busybox runs in a guest: . /vm/lib.sh
# Results as KTAP, and what the log and debugfs say.
# shellcheck shell=sh disable=SC2034 # used by those who read this in

D=/sys/kernel/debug/curpage
# How many results all processes of the guest have printed.
RESULTS=/tmp/results
failed=0

# result "ok"|"not ok" WHAT: print a line, with $SELF before WHAT when it is set.
result() {
	results=0
	[ ! -e $RESULTS ] || read -r results <$RESULTS
	results=$((results + 1))
	echo $results >$RESULTS
	echo "$1 $results - ${SELF:+$SELF: }$2"
}

ok() {
	result ok "$*"
}

not_ok() {
	result "not ok" "$*"
	failed=1
}

# Print the plan, when all results are there.
plan() {
	results=0
	[ ! -e $RESULTS ] || read -r results <$RESULTS
	echo "1..$results"
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

# must COMMAND...: end the script when it fails; no result after it would mean
# anything.
must() {
	"$@" && return
	not_ok "failed: $*"
	exit 1
}

# End the script of a measurement, which prints no results.
fail() {
	echo "Bail out! $*" >&2
	exit 1
}

# words LIST: the words of a list with commas; "-" is an empty one.
words() {
	[ "$1" = - ] || echo "$1" | tr , ' '
}

# value FILE KEY: the number after the key in a file of debugfs
value() {
	awk -v key="$2" '$1 == key { print $2 }' "$D/$1"
}

# Set held, cache_pages, block_pages and free_pages without a process, which takes
# long in a slow guest.
read_arena() {
	while read -r key number; do
		case $key in
		held) held=$number ;;
		cache_pages) cache_pages=$number ;;
		block_pages) block_pages=$number ;;
		free_pages) free_pages=$number ;;
		esac
	done <$D/arena
}

# slub_pages CACHE: set $slub to the pages of SLUB's slabs of a cache. They are in
# columns 6 (pages of a slab) and 15 (slabs) of slabinfo 2.1. A cache that was merged
# with others has no line.
slub_pages() {
	# shellcheck disable=SC2046
	set -- "$1" $(grep "^$1 " /proc/slabinfo)
	[ $# -eq 17 ] || fail "/proc/slabinfo has no line for $1: $*"
	slub=$(($7 * ${16}))
}

# How many invariants curpage_check() finds broken.
broken() {
	cat $D/check
}

log_clear() {
	dmesg -c >/dev/null
}

# log_of MODULE [BEGINNING]: the lines of a module in the log, without the time, the
# module's name and the beginning.
log_of() {
	dmesg | sed -n "s/.*$1: ${2-}//p"
}

# Has the curpage that was unloaded last returned all pages?
all_returned() {
	log_of curpage | grep '^unloaded: ' | tail -n 1 |
		grep -q '^unloaded: 0 pages not returned'
}
