#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Blocks of curpage that are given to kfree() and its like: the page stays under
# its neighbours, and is reported when it leaves its heap. The kernel may warn, so
# this is in a guest of its own.
# shellcheck source=tools/test/guest/lib.sh
. /guest/lib.sh

# stray COMMAND CACHE: Linux before 6.15 drops a reference of the page, then it is
# lost; later ones refuse such a pointer, and nothing happens to it.
stray() {
	log_clear
	must run "$1"
	drop_caches
	case $(log_lines | sed 's/, address.*//') in
	"curpage: page put by others: cache $2")
		ok "$1: one report, the neighbours are whole"
		lost=$((lost + 1))
		;;
	"") check "$1: the kernel has refused it" \
		sh -c "dmesg | grep -q 'Not a kmalloc allocation'" ;;
	*) not_ok "$1: the log says '$(log_lines)'" ;;
	esac
	is "$1: nothing is broken" "$(broken)" 0
}

lost=0
load
stray kfree-cache ct-other
stray kvfree-fit "(none)"
stray kfree-rcu-cache ct-other
is "each is counted" "$(value stats bad_put)" "$lost"
must run use 10000
drop_caches
is "no page is held" "$(value arena held)" 0
unload
