#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The files of debugfs: what they show of a load that is known, and what may be
# written to them.
# shellcheck source=tools/test/guest/lib.sh
. /guest/lib.sh

CACHE=$D/caches/ct-plain

modes() {
	for file in slabinfo stats arena buddy sizemap check; do
		stat -c '%a %n' $D/$file
	done
	for file in stats occupancy strategy freetol; do
		stat -c '%a %n' $CACHE/$file
	done
}

# 1000 blocks, 85 a page, on one CPU: 11 full pages and one of 65 blocks.
slabinfo() {
	is "slabinfo has the version line of the kernel's" \
		"$(head -n 1 $D/slabinfo)" \
		"$(head -n 1 /proc/slabinfo | cut -d ' ' -f 1-4)"
	is "slabinfo has the columns of the kernel's" \
		"$(sed -n 2p $D/slabinfo)" "$(sed -n 2p /proc/slabinfo)"
	is "every line of slabinfo has 16 columns that agree" "$(awk '
	NR > 2 && (NF != 16 || $7 != ":" || $8 != "tunables" || $12 != ":" ||
		   $13 != "slabdata" || $2 > $3 || $3 != $5 * $15 ||
		   $14 > $15)' $D/slabinfo)" ""
	is "a line of slabinfo for each cache" \
		"$(awk 'NR > 2 { print $1 }' $D/slabinfo | sort)" \
		"$(cd $D/caches && printf '%s\n' * | sort)"
	is "slabinfo of 1000 blocks of 40 bytes" \
		"$(awk '$1 == "ct-plain" { $1 = $1; print }' $D/slabinfo)" \
		"ct-plain 1000 1020 48 85 1 : tunables 0 0 0 : slabdata 12 12 0"
}

stats() {
	is "stats are the sum of those of the caches" "$(awk '
	FILENAME ~ /caches/ { sum[$1] += $2; next }
	$1 in sum && sum[$1] != $2 && $1 !~ /^bad_/' \
		$D/caches/*/stats $D/stats)" ""
	is "stats count the caches" "$(value stats caches)" \
		"$(find $D/caches -mindepth 1 -maxdepth 1 | wc -l)"
	is "stats of the cache" "$(awk '
	$1 ~ /^(size|stride|capacity|alloc|free|live|pages|refill_s1)$/ {
		printf "%s %s, ", $1, $2 }' $CACHE/stats)" \
		"size 40, stride 48, capacity 85, alloc 1000, free 0, refill_s1 12, live 1000, pages 12, "
}

arena() {
	is "arena: held is in caches, in blocks, free" "$(awk '
	$1 == "held" { held = $2 }
	$1 ~ /^(cache|block|free|transit)_pages$/ { sum += $2 }
	END { print held - sum }' $D/arena)" 0
	is "arena: held is what was taken less what was returned" "$(awk '
	{ v[$1] = $2 }
	END { print v["held"] - v["chunk_pages"] + v["returned_pages"] }' \
		$D/arena)" 0
	is "arena: the caches' pages are those of slabinfo" \
		"$(value arena cache_pages)" \
		"$(awk 'NR > 2 { sum += $15 } END { print sum }' $D/slabinfo)"
	is "buddy has a line for each order, and the arena's free pages" "$(awk '
	BEGIN { size = 1 }
	$1 == n + 0 { free += $2 * size; size *= 2; n++ }
	END { print n, free }' $D/buddy)" "11 $(value arena free_pages)"
}

sizemap() {
	is "sizemap leaves no size out, up to a page" "$(awk '
	NR > 1 {
		if ($1 != NR - 2 || $2 != last + 1 || $4 != int(4096 / $3) ||
		    $5 != 4096 % $3)
			print
		last = $3
	}
	END { print last }' $D/sizemap)" 4096
	is "a cache for each class" "$(awk 'NR > 1 { print "size-" $3 }' \
		$D/sizemap)" "$(awk '$1 ~ /^size-/ { print $1 }' $D/slabinfo)"
}

# Of 1000 blocks, then of every second: 43 or 42 a page, and 33.
occupancy() {
	is "occupancy tells live and held apart" \
		"$(head -n 4 $CACHE/occupancy | tr '\n' ' ')" \
		"live_blocks $1 live_pages $2 cached_empty_pages $3 held_pages $(($2 + $3)) "
	is "occupancy has every live page in one row" "$(awk '
	NR == 2 { pages = $2 }
	NR > 5 { sum += $NF }
	END { print pages - sum }' $CACHE/occupancy)" 0
}

# refused FILE VALUE ALLOWED
refused() {
	before=$(cat "$CACHE/$1")
	log_clear
	said=$( (echo "$2" >"$CACHE/$1") 2>&1)
	line="curpage: cache ct-plain: $1 ${4-$2}: must be $3"
	case $said in
	*"Invalid argument"*)
		is "$1 '$2' is refused, the log says what is allowed" \
			"$(log_lines)" "$line"
		;;
	*) not_ok "$1 '$2' was not refused with EINVAL: '$said'" ;;
	esac
	is "$1 '$2' changes nothing" "$(cat "$CACHE/$1")" "$before"
}

writes() {
	long=0123456789012345678901234567890123456789
	refused strategy lru "one of mru"
	refused strategy "mru mru" "one of mru"
	refused strategy $long "one of mru" "(too long)"
	refused freetol 0 "1 to 4096"
	refused freetol 4097 "1 to 4096"
	refused freetol -1 "1 to 4096"
	refused freetol much "1 to 4096"
	refused freetol $long "1 to 4096" "(too long)"
	check "strategy 'mru' is taken" eval "echo mru >$CACHE/strategy"
	is "strategy reads 'mru'" "$(cat $CACHE/strategy)" mru
	s3=$(value caches/ct-plain/stats pages_s3)
	check "there are pages in S3" test "$s3" -gt 0
	check "freetol '4096' is taken" eval "echo 4096 >$CACHE/freetol"
	is "freetol reads '4096'" "$(cat $CACHE/freetol)" 4096
	is "and no page is a candidate any more" \
		"$(value caches/ct-plain/stats pages_s3)" 0
	check "freetol '1' is taken" eval "echo 1 >$CACHE/freetol"
	is "and all of them are again" \
		"$(value caches/ct-plain/stats pages_s3)" "$s3"
}

load
is "modes of the files" "$(modes | sort | cut -d ' ' -f 1 | uniq -c |
	awk '{ print $1 "*" $2 }' | tr '\n' ' ')" "1*400 7*444 2*644 "
must run hold 1000
slabinfo
stats
arena
sizemap
occupancy 1000 12 0
must run thin
is "every second block was freed" "$(value caches/ct-plain/stats live)" 500
occupancy 500 12 0
writes
must run release
occupancy 0 0 9
is "the walker finds nothing broken" "$(broken)" 0
is "the file of a cache goes with it" \
	"$(rmmod curpage_test; ls -d $CACHE 2>/dev/null)" ""
rmmod curpage
is "the folder goes with the module" "$(ls -d $D 2>/dev/null)" ""
