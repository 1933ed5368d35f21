#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The buddies: policy and desired numbers written in use, what is refused, pairs
# joined on demand, what the arena keeps, and a large block at its bound.
# shellcheck source=tools/test/guest/lib.sh
. /guest/lib.sh

POLICIES="binary, revised, tailored"
FORM="auto, numbers as in 0,0,4,2, uniform:LOW:HIGH:POOL or shares:POOL:W0,W1,..., up to 11 numbers, sizes in KiB from 1 to 4096, POOL to 1048576"
POOL="arena_min_mb=4 arena_max_mb=4 chunk_order=10 stock=0 idle_ms=0"

# column NAME: the sum of a column of the tables by orders
column() {
	awk -v name="$1" '
	$1 == "order" {
		at = 0
		for (i = 2; i <= NF; i++)
			if ($i == name)
				at = i
		next
	}
	at && $1 ~ /^[0-9]+$/ { sum += $at }
	END { print sum + 0 }' $D/buddy
}

# refused FILE VALUE ALLOWED [WHAT]: WHAT is what the log names instead
refused() {
	before=$(cat $D/policy $D/desired)
	log_clear
	said=$( (echo "$2" >"$D/$1") 2>&1)
	case $said in
	*"Invalid argument"*)
		is "$1 '$2' is refused, the log says what is allowed" \
			"$(log_lines)" "curpage: $1 ${4-$2}: must be $3" ;;
	*) not_ok "$1 '$2' was not refused with EINVAL: '$said'" ;;
	esac
	is "$1 '$2' changes nothing" "$(cat $D/policy $D/desired)" "$before"
}

# taken FILE VALUE [READ]
taken() {
	check "$1 '$2' is taken" eval "echo '$2' >$D/$1"
	is "$1 reads '${3-$2}'" "$(cat "$D/$1")" "${3-$2}"
}

refusals() {
	long=0123456789012345678901234567890123456789
	refused policy best "one of $POLICIES"
	refused policy BINARY "one of $POLICIES"
	refused policy "binary revised" "one of $POLICIES"
	refused policy $long "one of $POLICIES" "(too long)"
	refused desired few "$FORM"
	refused desired 1,2,x "$FORM"
	refused desired 1,,2 "$FORM"
	refused desired 1,2, "$FORM"
	refused desired -1 "$FORM"
	refused desired 0,1,2,3,4,5,6,7,8,9,10,11 "$FORM"
	refused desired 1048577 "$FORM"
	refused desired uniform:1:300 "$FORM"
	refused desired uniform:300:1:4096 "$FORM"
	refused desired uniform:1:4097:4096 "$FORM"
	refused desired uniform:1:300:0 "$FORM"
	refused desired shares:4096 "$FORM"
	refused desired shares:4096:1,2,y "$FORM"
	refused desired $long$long$long$long$long "$FORM" "(too long)"
	refused buddy join merge
	refused buddy $long merge "(too long)"
}

# The numbers of the paper's Table 1 are on the lists of 32 to 512 KiB.
desired() {
	taken desired 3,0,0,2
	taken desired 0
	taken desired uniform:1:300:4096 0,0,0,2,3,4,7,3
	taken desired shares:64:1,1 6,5
	taken desired auto
	for policy in revised tailored binary; do
		taken policy $policy
		is "buddy names policy '$policy'" "$(value buddy policy)" $policy
	done
}

# While blocks of all kinds come and go.
under_load() {
	(while [ ! -e /tmp/stop ]; do run use 20000 || touch /tmp/failed; done) &
	load=$!
	i=0
	bad=0
	while [ $i -lt 40 ]; do
		for policy in tailored revised binary; do
			echo $policy >$D/policy || bad=$((bad + 1))
			echo $i,$i,1,0,2 >$D/desired || bad=$((bad + 1))
			[ "$(broken)" = 0 ] || bad=$((bad + 1))
			echo merge >$D/buddy || bad=$((bad + 1))
			echo auto >$D/desired || bad=$((bad + 1))
			[ "$(broken)" = 0 ] || bad=$((bad + 1))
		done
		i=$((i + 1))
	done
	touch /tmp/stop
	wait $load
	is "120 policies in use, nothing is broken" $bad 0
	check "and the load saw nothing of it" test ! -e /tmp/failed
	rm -f /tmp/stop /tmp/failed
}

# The whole pool as single pages, all of them given back.
pool_of_pages() {
	must run pages
	is "the pool has 1024 pages" "$(cat $RUN)" "pages 1024"
	must run blocks-end
	is "all 1024 are free, and stay" \
		"$(value arena free_pages) $(value arena held)" "1024 1024"
}

# What is free in pieces serves a request for all of it, nobody waits.
pool() {
	# shellcheck disable=SC2086 # words
	load_with buddy="$1" $POOL
	pool_of_pages
	is "$1: pairs are left where they are not joined" \
		"$(column pairs) $(value buddy largest)" "$2"
	must run now 10
	is "$1: all of it in one block" "$(value arena free_pages)" 0
	must run blocks-end
	is "$1: one request failed, the last of single pages" \
		"$(column failed)" 1
	is "$1: as many joined as cut" "$(column merges)" "$(column splits)"
	is "$1: nothing is broken" "$(broken)" 0
}

merges() {
	pool revised "512 1"
	pool_of_pages
	must eval "echo merge >$D/buddy"
	is "merge: one block, no pairs" \
		"$(value buddy largest) $(column pairs)" "1024 0"
	pool_of_pages
	is "revised again: pairs" "$(column pairs)" 512
	must eval "echo binary >$D/policy"
	is "a policy that always joins has joined them" \
		"$(value buddy largest) $(column pairs)" "1024 0"
	unload
	pool binary "0 1024"
	unload
	pool tailored "512 1"
	unload
}

# Until caches and stocks have given back what they do not use; 10 s at most.
settle() {
	tries=100
	while [ "$(value arena free_pages)" != "$1" ] && [ $tries -gt 0 ]; do
		sleep 0.1
		tries=$((tries - 1))
	done
}

# What is kept goes when memory is short.
kept() {
	load_with arena_min_mb=2 idle_ms=50
	must run use 20000
	settle 512
	sleep 1
	is "arena_min_mb keeps 2 MiB, whatever goes" \
		"$(value arena held) $(value arena free_pages)" "512 512"
	drop_caches
	is "under pressure all of it goes" "$(value arena held)" 0
	must run use 20000
	is "and nothing is broken" "$(broken)" 0
	unload
}

# Free pages that lie apart make room for a block, if there are enough of them.
at_bound() {
	# shellcheck disable=SC2086
	load_with buddy="$1" $POOL
	must run pages
	must run checkered
	is "bound, $1: every second page is free" \
		"$(value arena free_pages) $(value buddy largest)" "512 1"
	check "bound, $1: who may not wait gets no block of 256" \
		eval "! run now 8 2>/dev/null"
	is "bound, $1: this changed nothing" "$(value arena free_pages)" 512
	is "bound, $1: external fragmentation is that of the failures" \
		"$(value buddy external)" 0.250
	check "bound, $1: who may wait gets it" run patient 8
	is "bound, $1: for 256 pages that were free" \
		"$(value arena free_pages) $(value arena held)" "256 1024"
	check "bound, $1: there are not enough for 512" \
		eval "! run patient 9 2>/dev/null"
	is "bound, $1: then none goes" \
		"$(value arena free_pages) $(value arena held)" "256 1024"
	is "bound, $1: nothing is broken" "$(broken)" 0
	must run blocks-end
	is "bound, $1: all of it is free" "$(value arena free_pages)" 1024
	unload
}

apart() {
	load_with arena_min_mb=4
	must run hold 1000
	must run patient 3
	is "apart: the tables of both" "$(grep '^chunks' $D/buddy | xargs)" \
		"chunks of callers chunks of caches"
	is "apart: 12 pages of caches and a block were asked for" \
		"$(column asked)" 13
	must run use 20000
	is "apart: nothing is broken" "$(broken)" 0
	must run release
	must run blocks-end
	unload
}

load
refusals
desired
under_load
drop_caches
is "no page is held" "$(value arena held)" 0
unload
merges
kept
for policy in binary revised tailored; do
	at_bound $policy
done
apart
