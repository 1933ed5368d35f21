#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Parameters: each bad value is refused, each good one takes effect.
# shellcheck source=tools/test/guest/lib.sh
. /guest/lib.sh

DESIRED="auto, numbers as in 0,0,4,2, uniform:LOW:HIGH:POOL or shares:POOL:W0,W1,..., up to 11 numbers, sizes in KiB from 1 to 4096, POOL to 1048576"
other=

# refused NAME=VALUE ALLOWED [WHAT]: WHAT is what the log names if not the whole
# value. busybox's insmod asks the kernel twice, so one line for each try is two.
refused() {
	log_clear
	# shellcheck disable=SC2086 # a word or none
	said=$(insmod /curpage.ko $other "$1" 2>&1)
	case $said in
	*"Invalid argument"*) ;;
	*)
		not_ok "$1: not refused with EINVAL: '$said'"
		rmmod curpage 2>/dev/null
		return
		;;
	esac
	if [ -e /sys/module/curpage ] || [ -e $D ]; then
		not_ok "$1: refused, and left something behind"
		return
	fi
	# The kernel says of a number or switch that it is not valid, too.
	lines=$(log_lines | grep -v "invalid for parameter")
	line="curpage: parameter ${3-$1}: must be $2"
	if [ "$lines" = "$line" ] || [ "$lines" = "$line
$line" ]; then
		ok "$1 is refused, the log names it and '$2'"
	else
		not_ok "$1: the log says '$lines', not '$line'"
	fi
}

# refused_with OTHER NAME=VALUE ALLOWED: beside a value that is good
refused_with() {
	other=$1
	shift
	refused "$@"
	other=
}

# accepted NAME=VALUE FILE KEY WANTED: what debugfs shows then
accepted() {
	load_with "$1"
	is "$1 is taken" "$(cat "/sys/module/curpage/parameters/${1%%=*}")" \
		"${1#*=}"
	if [ "$3" ]; then
		is "$1 shows in $2" "$(value "$2" "$3")" "$4"
	else
		is "$1 shows in $2" "$(cat "$D/$2")" "$4"
	fi
	unload
}

# keeps VALUE PAGES: empty pages that stay behind a load, on one CPU
keeps() {
	load_with "keep=$1"
	run hold 1000
	run release
	is "keep=$1 keeps $2 empty pages beside the current one" \
		"$(value caches/ct-plain/stats pages_s2)" "$2"
	unload
}

refused strategy=lru "one of $STRATEGIES"
refused strategy= "one of $STRATEGIES"
refused strategy=MRU "one of $STRATEGIES"
refused freetol=0 "1 to 4096"
refused freetol=4097 "1 to 4096"
refused freetol=x "1 to 4096"
refused keep=-1 "0 to 65536 or all"
refused keep=65537 "0 to 65536 or all"
refused keep=none "0 to 65536 or all"
refused chunk_order=11 "0 to 10"
refused chunk_order=0x1 "0 to 10"
refused arena_max_mb=-1 "0 to 1048576"
refused arena_max_mb=1048577 "0 to 1048576"
refused arena_max_mb=1.5 "0 to 1048576"
refused arena_min_mb=-1 "0 to 1048576"
refused arena_min_mb=1048577 "0 to 1048576"
refused arena_min_mb=x "0 to 1048576"
refused_with arena_max_mb=4 arena_min_mb=5 "0 to 4"
refused buddy=best "one of binary, revised, tailored"
refused buddy= "one of binary, revised, tailored"
refused desired=few "$DESIRED"
refused desired= "$DESIRED"
refused desired=0,1,2,3,4,5,6,7,8,9,10,11 "$DESIRED"
refused desired=uniform:0:300:4096 "$DESIRED"
refused desired=shares:1048577:1 "$DESIRED"
refused stock=65 "0 to 64"
refused idle_ms=9 "0 or 10 to 3600000"
refused idle_ms=3600001 "0 or 10 to 3600000"
refused apart=2 "0 or 1"
refused apart=maybe "0 or 1"
refused check=2 "0 or 1"
refused harden=2 "0 or 1"
refused harden_seed=-1 "0 to 4294967295"
refused harden_seed=4294967296 "0 to 4294967295"
refused harden_seed=x "0 to 4294967295"
refused sizemap=fibonacci "brent, geometric:RHO, powers or a list of sizes" \
	"sizemap: fibonacci"
refused sizemap=geometric:1 \
	"geometric:RHO with RHO from 1.001 to 8, at most 3 decimals" \
	"sizemap: geometric:1"
refused sizemap=16,32,40,64 "8 or a multiple of 16" "sizemap: entry 3, 40"
refused sizemap=16,32,48,32 "more than 48, the one before" \
	"sizemap: entry 4, 32"
refused sizemap=16,32,80 \
	"at most 64, no power of two from 16 on may be left out" \
	"sizemap: entry 3, 80"
refused sizemap=4,16 "at least 8" "sizemap: entry 1, 4"
refused sizemap=16,32,6000 "at most 4096, the page size" \
	"sizemap: entry 3, 6000"
refused sizemap=16,32b "a number" "sizemap: entry 2, '32b'"

refused ffcrossover=-1 "0 to 4096"
refused ffcrossover=4097 "0 to 4096"
refused ffcrossover=1k "0 to 4096"

accepted strategy=mru caches/size-64/strategy "" mru
accepted strategy=least-free caches/size-64/strategy "" least-free
accepted strategy=queue caches/size-64/strategy "" queue
accepted freetol=4096 caches/size-64/freetol "" 4096
accepted chunk_order=10 arena chunk_order 10
accepted arena_max_mb=3 arena max_pages 768
accepted buddy=revised policy "" revised
accepted buddy=tailored buddy policy tailored
accepted desired=auto desired "" auto
accepted desired=1,0,5 desired "" 1,0,5
accepted desired=uniform:1:300:4096 desired "" 0,0,0,2,3,4,7,3
accepted apart=N buddy apart 0
accepted ffcrossover=4096 fit ffcrossover 4096
accepted ffcrossover=0 fit ffcrossover 0
accepted check=Y caches/size-64/stats check 1

# classes MAP KIND CLASSES: what debugfs shows of a map
classes() {
	load_with "sizemap=$1"
	is "sizemap=$1 is a map of kind $2" "$(head -n 1 $D/sizemap)" "# $2"
	is "sizemap=$1 has its classes" \
		"$(awk 'NR > 2 { printf "%s%s", sep, $3; sep = "," }' $D/sizemap)" \
		"$3"
	must run sizes 1000
	is "sizemap=$1: nothing is broken" "$(broken)" 0
	unload
}

powers=16,32,64,128,256,512,1024,2048,4096
classes powers powers 8,$powers
classes $powers list $powers
classes geometric:2.5 geometric:2.500 \
	8,16,32,64,80,128,192,256,480,512,1024,1200,2048,2992,4096
# 1000 blocks, 85 a page: 12 pages, one of them current
keeps 0 0
keeps 7 7
keeps all 11

# More than the machine has is refused, and what was got of it goes back.
log_clear
case $(insmod /curpage.ko arena_min_mb=100000 2>&1) in
*"Cannot allocate memory"*)
	is "arena_min_mb=100000 is refused, the log says why" \
		"$(log_lines | sed 's/[0-9]* pages of/N pages of/' | uniq)" \
		"curpage: arena_min_mb: N pages of 25600000, the system has no more" ;;
*) not_ok "arena_min_mb=100000 was not refused with ENOMEM" ;;
esac
accepted arena_min_mb=64 arena held 16384
