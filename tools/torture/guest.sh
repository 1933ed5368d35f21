#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In the guest: run one test with the parameters given (NAME=VALUE...), change
# the strategies and tolerances of all caches, what goes to first fit and how
# buddies are joined meanwhile, read everything, call the shrinker, and look at
# what is left. One line a check.
# shellcheck source=tools/vm/lib/lib.sh
. /vm/lib.sh
set -u

P=/sys/module/curpage_torture/parameters
KINDS=double,bulk,gone,shared,cache,inside,foreign,order
KINDS=$KINDS,redzone,poison,late,overflow,brush,unmade
# With PREEMPT_RT all but one.
[ ! -e /sys/kernel/realtime ] || KINDS=$(echo "$KINDS" | sed 's/,shared//')
want=SUCCESS

# The one after $seed; sets it.
next() {
	seed=$(((seed * 1103515245 + 12345) % 2147483648))
}

# Those of curpage, when it is a module, are given when it loads.
load() {
	params=
	for arg; do
		case $arg in curpage.*) params="$params ${arg#curpage.}" ;; esac
	done
	# shellcheck disable=SC2086 # words
	[ ! -e /curpage.ko ] || insmod /curpage.ko $params || {
		echo "error: $(log_of '] curpage' | tail -n 1)"
		exit 2
	}
	[ ! -e /curpage_torture.ko ] || insmod /curpage_torture.ko || exit 1
	[ -e $P/run ] || {
		not_ok "this kernel has no curpage_torture"
		exit 1
	}
}

# The host tells the user what is said behind "error: ".
set_parameter() {
	if [ ! -e "$P/$1" ]; then
		echo "error: parameter $1: must be one of $(cd $P && echo *)"
		exit 2
	fi
	echo "$2" 2>/dev/null >"$P/$1" && return
	echo "error: $(newest '')"
	exit 2
}

# What this curpage knows is what it answers to a bad name.
strategies() {
	echo '?' 2>/dev/null >$D/caches/size-64/strategy
	dmesg | sed -n 's/.*strategy ?: must be one of //p' | tail -n 1 |
		tr -d ,
}

# Likewise; the newest message is the last.
policies() {
	echo '?' 2>/dev/null >$D/policy
	dmesg | sed -n 's/.*policy ?: must be one of //p' | tail -n 1 | tr -d ,
}

# Without a process of its own, which takes long in a slow guest.
skim() {
	while read -r _; do :; done <"$1"
}

# All sizes to first fit, those above half a page, or above a page.
cross() {
	next
	echo $((seed / 65536 % 3 * 2048)) \
		>/sys/module/curpage/parameters/ffcrossover
}

# Every seventh cache, beginning anywhere. It may be gone before it is reached.
retune() {
	next
	skip=$((seed / 65536 % 7))
	for cache in "$D"/caches/*; do
		skip=$((skip - 1))
		[ $skip -lt 0 ] || continue
		skip=7
		for strategy in $strategies; do
			echo "$strategy" >"$cache/strategy"
		done
		next
		echo $((1 + seed / 65536 % 4096)) >"$cache/freetol"
		skim "$cache/stats"
		skim "$cache/occupancy"
		retunes=$((retunes + 1))
	done 2>/dev/null
}

# desired_any: in $desired
desired_any() {
	next
	case $((seed / 65536 % 4)) in
	0) desired=auto ;;
	1) desired=uniform:1:$((8 + seed / 65536 % 4000)):8192 ;;
	2) desired=shares:4096:$((seed / 65536 % 9)),1,2,$((seed % 5)),0,3 ;;
	3) desired=$((seed / 65536 % 200)),$((seed % 50)),0,$((seed % 7)) ;;
	esac
}

# All the time, until the test ends; how often is left in /tmp/rebuddies.
rebuddy() {
	n=0
	while running; do
		for policy in $policies; do
			desired_any
			echo "$desired" >$D/desired || break 2
			echo "$policy" >$D/policy || break 2
			[ $((seed / 65536 % 3)) -ne 0 ] ||
				echo merge >$D/buddy || break 2
			n=$((n + 1))
			skim $D/buddy
			sleep 0.03
		done
	done
	running || echo $n >/tmp/rebuddies
}

look() {
	for file in stats arena buddy policy desired fit slabinfo; do
		skim $D/$file
	done
	echo 2 >/proc/sys/vm/drop_caches
}

running() {
	read -r run <$P/run
	[ "$run" = Y ]
}

# The newest line of the module that begins so, without that.
newest() {
	log_of curpage_torture "$1" | tail -n 1
}

# refuses PARAMETER VALUE ALLOWED: is the value refused by name, and nothing changed?
refuses() {
	was=$(cat "$P/$1")
	! echo "$2" 2>/dev/null >"$P/$1" || not_ok "$1=$2 is not refused"
	# The name has the module's before it when that is built in.
	is "$1=$2 is refused" "$(newest 'parameter ' | sed 's/.*_torture\.//')" \
		"$1=$2: must be $3"
	is "and $1 is as it was" "$(cat "$P/$1")" "$was"
}

reports() {
	awk '/^bad_/ { print substr($1, 5), $2 }' $D/stats
}

# judge DUE REPORTS-BEFORE REPORTS-AFTER: is each offence reported as it should be?
# "gone" are as many more of the first four kinds together, "perhaps" is at most so
# many more of poison. Prints what is wrong.
judge() {
	printf '%s\n' "$1" "$2" - "$3" | awk '
	function wrong(what, n, least, most) {
		if (n < least || n > most)
			printf "%s: %d reported, %d to %d due; ",
				what, n, least, most
	}
	NR == 1 { for (i = 1; i < NF; i += 2) due[$i] = $(i + 1); next }
	$1 == "-" { after = 1; next }
	!after { was[$1] = $2; next }
	{
		n = $2 - was[$1]
		more = $1 == "poison" ? due["perhaps"] : 0
		if ($1 ~ /^(foreign|inside|cache|double)$/) {
			more = due["gone"]
			sum += n
			sum_due += due[$1]
		}
		wrong($1, n, due[$1], due[$1] + more)
	}
	END { sum_due += due["gone"]; wrong("these", sum, sum_due, sum_due) }'
}

# An offence that was counted and not made must not pass.
judge_can_fail() {
	before=$(reports)
	echo unmade >$P/misuse_kinds
	echo 10000 >$P/misuse
	echo 0 >$P/onoff_ms
	echo 1 >$P/seconds
	echo 1 >$P/run
	while running; do sleep 0.1; done
	verdict=$(judge "$(newest 'reports due: ')" "$before" "$(reports)")
	check "offences that were not made are missed: $verdict" \
		test -n "$verdict"
}

# Was it looked for mistakes, as this kernel should, until the end?
watched() {
	case $1 in
	kasan)
		check "KASAN is there" test -n "$kasan"
		check "lockdep has not given up" \
			grep -q '^ debug_locks: *1$' /proc/lockdep_stats
		check "kmemleak is there" test -e /sys/kernel/debug/kmemleak
		;;
	kcsan)
		n=$(awk '/^setup_watchpoints/ { print $2 }' \
			/sys/kernel/debug/kcsan)
		check "KCSAN has set $n watchpoints" test "${n:-0}" -gt 1000
		;;
	esac
}

# Reports may push it out of the log.
kasan=$(dmesg | grep 'KernelAddressSanitizer initialized')
load "$@"
strategies=$(strategies)
refuses misuse 10001 "0 to 10000"
refuses misuse_kinds double,none "all, or some of $KINDS"
seed=1 retunes=0 misuse=0 expect=
for arg; do
	case $arg in
	curpage.*) continue ;;
	expect=*) expect=${arg#*=}; continue ;;
	seed=*) seed=${arg#*=} ;;
	misuse=*) misuse=${arg#*=} ;;
	variant=busted) want=FAILURE ;;
	esac
	set_parameter "${arg%%=*}" "${arg#*=}"
done
policies=$(policies)
before=$(reports)
echo 1 >$P/run || exit 1
rebuddy &
while running; do
	retune
	cross
	look
	sleep 0.2
done

wait
line=$(newest 'end of test: ')
echo "# ${line:-no end line}"
is "the test ends with $want" "${line%%:*}" $want
check "the strategies are known: $strategies" test -n "$strategies"
check "$retunes times a strategy and a tolerance were set" test $retunes -gt 0
check "the policies are known: $policies" test -n "$policies"
rebuddies=$(cat /tmp/rebuddies || echo 0)
check "$rebuddies times a policy and desired numbers were set" \
	test "$rebuddies" -gt 0
look	# the shrinker passes over caches while the idle are looked for
broken >/dev/null
look
is "nothing is live" "$(value stats live) $(value arena block_pages)" "0 0"
is "and nothing is held" "$(value arena held)" 0
# One that is broken on purpose is caught before much has been asked for.
[ $want = FAILURE ] || check "first fit had $(value fit alloc) blocks" \
	test "$(value fit alloc)" -gt 0
is "nothing is broken" "$(broken)" 0
is "nothing was reported that was not due" \
	"$(judge "$(newest 'reports due: ')" "$before" "$(reports)")" ""
if [ "$misuse" != 0 ] && [ $want = SUCCESS ]; then
	echo "# offences: $(newest 'offences: ')"
	judge_can_fail
fi
[ $want = FAILURE ] || watched "$expect"
[ ! -e /curpage.ko ] || check "the modules go" rmmod curpage_torture curpage
plan
exit $failed
