#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A good citizen: what the rest of the kernel sees of curpage's pages.
# shellcheck source=tools/test/guest/lib.sh
. /guest/lib.sh

SLACK=250	# pages that the rest of the kernel may take or give back meanwhile

# vmstat ITEM: its pages, with what the processors keep to themselves
vmstat() {
	echo 1 >/proc/sys/vm/stat_refresh
	awk -v key="nr_$1" '$1 == key { print $2 }' /proc/vmstat
}

look() {
	[ ! -d $D ] || value arena held >/dev/null
	free_now=$(vmstat kernel_misc_reclaimable)
	slab_now=$(vmstat slab_unreclaimable)
	reclaimable_now=$(vmstat slab_reclaimable)
}

# grown WHAT BEFORE NOW PAGES: NOW is PAGES more than BEFORE, give or take SLACK
grown() {
	off=$(($3 - $2 - $4))
	check "$1: $4 pages more, ${off} off" \
		test "$off" -ge -$SLACK -a "$off" -le $SLACK
}

settle() {
	look
	slab=$slab_now reclaimable=$reclaimable_now free=$free_now
}

settle
misc=$free
load
settle

must run fill-reclaimable 20000
look
pages=$(value caches/ct-reclaimable/stats pages)
check "a cache with CURPAGE_RECLAIM_ACCOUNT has pages" test "$pages" -ge 5000
grown "its pages are reclaimable slab" "$reclaimable" "$reclaimable_now" "$pages"
grown "and not unreclaimable slab" "$slab" "$slab_now" 0
must run empty-reclaimable
drop_caches
look
grown "they are back" "$reclaimable" "$reclaimable_now" 0

settle
must run hold 500000
look
pages=$(value arena cache_pages)
grown "pages of a cache are unreclaimable slab" "$slab" "$slab_now" "$pages"
grown "and not reclaimable slab" "$reclaimable" "$reclaimable_now" 0
must run release
drop_caches

settle
must run blocks 5000
look
grown "page blocks are unreclaimable slab" "$slab" "$slab_now" \
	"$(value arena block_pages)"
is "free pages of the arena are reclaimable kernel memory, exactly" \
	"$free_now" "$((misc + $(value arena free_pages)))"
must run checkered
look
check "more pages are free" test "$(value arena free_pages)" -ge 40
is "and are reclaimable kernel memory, exactly" \
	"$free_now" "$((misc + $(value arena free_pages)))"
must run blocks-end
is "nothing is broken" "$(broken)" 0
unload
free_now=$(vmstat kernel_misc_reclaimable)
slab_now=$(vmstat slab_unreclaimable)
is "after the unload no reclaimable kernel memory is left" "$free_now" "$misc"
grown "and the slab is as it was" "$slab" "$slab_now" 0

# Nothing is refused that must not be, and what is allowed past the bound goes.
load_with arena_max_mb=1
must run fill
is "at the bound others are refused" "$(value arena held)" 256
must run nofail 100
check "100 requests of each kind with __GFP_NOFAIL get memory past the bound" \
	test "$(value arena held)" -ge 700
check "which is counted" test "$(value arena beyond_bound)" -ge 100
is "nothing is broken past the bound" "$(broken)" 0
must run refused 10
must run nofail-end
must run empty
drop_caches
is "all of it goes back" "$(value arena held)" 0
must run fill
is "and the bound is what it was" "$(value arena held)" 256
must run empty
unload

# In a group that is charged for what its tasks account for.
mkdir -p /tmp/group
if mount -t cgroup2 none /tmp/group &&
   echo +memory >/tmp/group/cgroup.subtree_control; then
	load
	mkdir /tmp/group/charged
	(
		echo 0 >/tmp/group/charged/cgroup.procs
		run account 100
	)
	is "__GFP_ACCOUNT charges for the system's pages, not for curpage's" \
		"$(xargs <$RUN)" "system 1 curpage 0"
	rmdir /tmp/group/charged
	unload
else
	not_ok "there are no groups of tasks"
fi
umount /tmp/group

# said WHAT COMMAND LINE: the command goes well, and the log has that line alone
said() {
	log_clear
	must run "$2"
	drop_caches
	is "$1" "$(log_lines | sed 's/, address.*//')" "$3"
}

load
said "a page block that is referenced goes to the system, silently" ref-pages ""
is "and its page has the other reference alone" "$(cat $RUN)" "references 1"
said "a page of a cache that is referenced is reported" ref-cache \
	"curpage: page still referenced: cache ct-other"
is "and has the other reference alone" "$(cat $RUN)" "references 1"
is "both have left curpage" "$(value arena expelled_pages)" 5
said "a page of a cache that was put stays under its neighbours" put-cache \
	"curpage: page put by others: cache ct-other"
said "and so do the pages of first fit" put-fit \
	"curpage: page put by others: cache (none)"
is "each is counted" "$(value stats bad_referenced) $(value stats bad_put)" "1 2"
is "nothing is broken by references" "$(broken)" 0
is "no page is held" "$(value arena held)" 0
log_clear
unload
is "no page of curpage's is lost" "$(log_lines)" \
	"curpage: unloaded: 0 pages not returned"

# Memory that is short and a request that may take the system's reserves.
load
taken=$(value arena reserve_taken)
must run reserves
is "what is of the reserves says so, of page blocks, caches and by size" \
	"$(sed -n 1p $RUN)" "system 1 block 1 cache 1 1 size 1"
is "nobody else gets it" "$(sed -n 2p $RUN)" "others 0 0 0"
is "it was counted" "$(($(value arena reserve_taken) - taken))" 4
is "it went back, and not to the arena" "$(value arena expelled_pages)" 5
is "nothing is broken by reserves" "$(broken)" 0
drop_caches
is "nothing of the reserves is held" "$(value arena held)" 0
unload
