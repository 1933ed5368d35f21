#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The files of debugfs: what they show of a load that is known, and what may be
# written to them.
# shellcheck source=tools/test/guest/lib.sh
. /guest/lib.sh

CACHE=$D/caches/ct-plain

modes() {
	for file in slabinfo stats cpus arena buddy policy desired sizemap best_map fit check report_burst; do
		stat -c '%a %n' $D/$file
	done
	for file in stats occupancy strategy freetol; do
		stat -c '%a %n' $CACHE/$file
	done
	stat -c '%a %n' $D/caches
}

# What shows names of caches is for whom the kernel shows such names.
names() {
	is "slabinfo has the mode of the kernel's" \
		"$(stat -c %a $D/slabinfo)" "$(stat -c %a /proc/slabinfo)"
	is "and no file of a cache is for others than root" \
		"$(find $D/caches -type f -perm /077)" ""
}

# Two CPUs; all pages of the load are of one of them.
cpus() {
	is "cpus has a line for each CPU" \
		"$(awk 'NR > 1 { print $1, $2 }' $D/cpus | tr '\n' ' ')" "0 0 1 0 "
	is "cpus: pages are all but those of side heaps" \
		"$(awk 'NR > 1 { sum += $4 } END { print sum }' $D/cpus)" \
		"$(value arena cache_pages)"
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
	is "buddy has a line for each order of both uses, and the arena's free pages" "$(awk '
	/chunks/ { lists = 1; size = 1; order = 0 }
	lists && $1 == order "" { free += $2 * size; size *= 2; order++; n++ }
	END { print n, free }' $D/buddy)" "22 $(value arena free_pages)"
}

sizemap() {
	is "sizemap leaves no size out, up to a page" "$(awk '
	NR > 2 {
		if ($1 != NR - 3 || $2 != last + 1 || $4 != int(4096 / $3) ||
		    $5 != 4096 % $3)
			print
		last = $3
	}
	END { print last }' $D/sizemap)" 4096
	is "a cache for each class" "$(awk 'NR > 2 { print "size-" $3 }' \
		$D/sizemap)" "$(awk '$1 ~ /^size-/ { print $1 }' $D/slabinfo)"
	is "the map is Brent's" "$(head -n 1 $D/sizemap)" "# brent"
}

# What file best_map shows for so many classes, in one line.
best_map_for() {
	echo "$1" >$D/best_map
	tr '\n' ' ' <$D/best_map
}

refused_classes() {
	log_clear
	check "best_map '$1' is refused" eval "! echo $1 2>/dev/null >$D/best_map"
	is "and the log says what is allowed" "$(log_lines)" \
		"curpage: best_map $1: must be 9 to 128"
}

# 1020 blocks each of 80 bytes, 51 a page, and of 96 bytes, 42 a page: 45.3 pages
# expected, half a page for each class included. As one class of 96 bytes it is
# 49.1, in the 128 bytes of the next power of two 64.3.
best_map() {
	is "nothing is live: best_map is the present map" "$(cat $D/best_map)" \
		"# nothing is live: this is the present map
$(awk 'NR > 2 { printf "%s%s", sep, $3; sep = "," }' $D/sizemap)"
	must run sizes 1020
	is "best_map for 11 classes" "$(best_map_for 11)" \
		"# for 11 classes: expected storage efficiency now 0.967, best 0.967 16,32,64,80,96,128,256,512,1024,2048,4096 "
	is "best_map for 10 classes" "$(best_map_for 10)" \
		"# for 10 classes: expected storage efficiency now 0.967, best 0.893 16,32,64,96,128,256,512,1024,2048,4096 "
	is "best_map for 9 classes" "$(best_map_for 9)" \
		"# for 9 classes: expected storage efficiency now 0.967, best 0.682 16,32,64,128,256,512,1024,2048,4096 "
	refused_classes 8
	refused_classes 129
	refused_classes few
	is "and changes nothing" "$(head -n 1 $D/best_map | cut -c 1-15)" \
		"# for 9 classes"
	must run empty
}

# 30 blocks of 5000 bytes, which take 313 units of 16: 13 a run of 4095 units.
fit() {
	i=0
	while [ $((i += 1)) -le 30 ]; do
		must run block 5000
	done
	is "fit: 30 blocks of 5000 bytes" "$(awk '
	$1 ~ /^(live|(asked|block|free)_bytes|runs|pages|run_taken)$/ {
		printf "%s %s, ", $1, $2 }' $D/fit)" \
		"live 30, asked_bytes 150000, block_bytes 150240, free_bytes 46320, runs 3, pages 48, run_taken 3, "
	arena
	must run empty
	is "fit: they are gone, and all runs but one" "$(awk '
	$1 ~ /^(live|runs|empty_pages|run_given)$/ {
		printf "%s %s, ", $1, $2 }' $D/fit)" \
		"live 0, runs 1, empty_pages 16, run_given 2, "
	crossover
}

# The parameter is for requests from now on.
crossover() {
	file=/sys/module/curpage/parameters/ffcrossover
	is "ffcrossover is a quarter of the page" "$(cat $file)" 1024
	log_clear
	check "ffcrossover '4097' is refused" eval "! echo 4097 2>/dev/null >$file"
	is "and the log says what is allowed" "$(log_lines)" \
		"curpage: parameter ffcrossover=4097: must be 0 to 4096"
	check "ffcrossover '4096' is taken" eval "echo 4096 >$file"
	must run block 3000
	is "and 3000 bytes come from a class" "$(value fit live)" 0
	check "ffcrossover '0' is taken" eval "echo 0 >$file"
	must run block 64
	is "and 64 bytes from first fit" "$(value fit live)" 1
	must run empty
	is "and both go back to where they came from" \
		"$(value fit live) $(value caches/size-4096/stats live)" "0 0"
	echo 1024 >$file
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
	refused strategy lru "one of $STRATEGIES"
	refused strategy "mru mru" "one of $STRATEGIES"
	refused strategy $long "one of $STRATEGIES" "(too long)"
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

# Given to a cache in use, one after the other.
strategies() {
	live=$(value caches/ct-plain/stats live)
	for strategy in least-free most-free random-b quick first-fit stack \
			queue random nofree least-free-8 lowest-page mru; do
		check "strategy '$strategy' is taken in use" \
			eval "echo $strategy >$CACHE/strategy"
		is "and nothing is lost by it: $(cat $CACHE/strategy)" \
			"$(value caches/ct-plain/stats live) $(value caches/ct-plain/stats lost) $(broken)" \
			"$live 0 0"
	done
}

load
is "modes of the files" "$(modes | sort | cut -d ' ' -f 1 | uniq -c |
	awk '{ print $1 "*" $2 }' | tr '\n' ' ')" "4*400 5*444 3*600 4*644 1*700 "
names
must run hold 1000
slabinfo
stats
cpus
arena
sizemap
best_map
fit
occupancy 1000 12 0
must run thin
is "every second block was freed" "$(value caches/ct-plain/stats live)" 500
occupancy 500 12 0
writes
must run release
occupancy 0 0 9
must run hold 1000
must run thin
strategies
must run release
is "the walker finds nothing broken" "$(broken)" 0
is "the file of a cache goes with it" \
	"$(rmmod curpage_test; ls -d $CACHE 2>/dev/null)" ""
rmmod curpage
is "the folder goes with the module" "$(ls -d $D 2>/dev/null)" ""
