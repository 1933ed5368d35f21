#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Each kind of report, thrice: one for each offence with its cache, its address
# and its caller, nothing else in the log, the right counter, and nothing broken.
# First without check=1, then with it, then with a strategy of each family: lists,
# trees, pools, no current page, nothing used again. Every way to commit an offence
# is in the KUnit suite curpage_misuse.
# shellcheck source=tools/test/guest/lib.sh
. /guest/lib.sh

TIMES=3
KINDS="foreign-kmalloc:foreign inside-size:inside wrong-cache:cache
double:double double-late:double double-empty:double double-check:double
double-remote:double double-elsewhere:double double-gone:double
order:order redzone:redzone poison:poison link:poison link-check:poison
destroy:leak"

# Lines of the log that are not what was expected, or missing.
unexpected() {
	log_lines | grep -v '^curpage: last allocated' >/tmp/log
	awk 'NR == FNR { want[++n] = $0; next }
	{
		m++
		rest = substr($0, length(want[m]) + 1)
		if (m > n || index($0, want[m]) != 1 ||
		    rest !~ /^0x[0-9a-f]+\/0x[0-9a-f]+ \[curpage_test\]$/)
			print "line " m ": " $0
	}
	END {
		if (m != n)
			print m + 0 " lines, not " n
	}' $RUN /tmp/log
}

bad_counters() {
	grep '^bad_' $D/stats
}

# Only that counter has moved, by as many as there were offences.
counted() {
	bad_counters >/tmp/after
	awk -v key="bad_$1" -v times=$TIMES '
	NR == FNR { before[$1] = $2; next }
	$2 != before[$1] + ($1 == key ? times : 0) {
		print $1 " " before[$1] " became " $2
	}' /tmp/before /tmp/after
}

offend() {
	bad_counters >/tmp/before
	log_clear
	if ! run "$1 $TIMES"; then
		not_ok "$1$mode: the offence did not go as planned"
		return
	fi
	is "$1$mode: one report for each offence" "$(unexpected)" ""
	is "$1$mode: counted as bad_$2, nothing broken" \
		"$(counted "$2")$(broken)" 0
	case $1 in double-check|redzone|poison)
		is "$1$mode: with who had the block" "$(owners)" $TIMES
	esac
}

# Reports that say which functions had the block.
owners() {
	log_lines | grep -Ec '^curpage: last allocated by ct_.*, last freed by ct_'
}

# Every offence counts, and no more than the burst is printed; then what was not.
limited() {
	bad_counters >/tmp/before
	echo 10 >$D/report_burst
	log_clear
	must run "double 1000"
	TIMES=1000
	is "1000 offences are counted" "$(counted double)" ""
	TIMES=3
	is "and 10 of them printed" \
		"$(log_lines | grep -c '^curpage: double free')" 10
	echo 0 >$D/report_burst
	log_clear
	must run "double 1"
	is "the next report says how many were not" \
		"$(log_lines | head -n 1)" "curpage: 990 reports suppressed"
}

# The walker finds what is wrong, says what, and no more when it is mended.
walker() {
	must run damage
	log_clear
	is "the walker finds one thing broken" "$(broken)" 1
	line=$(cat $RUN)
	check "the walker says what" test "$(log_lines | grep -cF "$line")" = 1
	must run mend
	is "the walker finds nothing when it is mended" "$(broken)" 0
}

# Some offences need a block that comes back at once, or a page that goes.
applies() {
	case $params:$1 in
	*quick*:poison|*quick*:link*|*queue*:poison|*queue*:link*) return 1 ;;
	*check=1*:link) return 1 ;;	# the word is behind the block
	*check=1*:link-check) ;;
	*:link-check) return 1 ;;
	*stack*:link) return 1 ;;	# no address in a report of a pool
	*stack*:double-gone|*queue*:double-gone|*random*:double-gone) return 1 ;;
	esac
}

# B, a bad page, and W, a warning.
tainted() {
	is "the kernel is tainted as SLUB does it" \
		$(($(cat /proc/sys/kernel/tainted) & 0x220)) 544
}

for params in "" check=1 strategy=least-free strategy=lowest-page \
	      strategy=quick strategy=random strategy=stack strategy=queue \
	      "strategy=queue check=1" "strategy=random check=1" \
	      "buddy=revised apart=1"; do
	mode=${params:+ with $params}
	# shellcheck disable=SC2086 # words
	if [ "$params" ]; then load_with $params; else load; fi
	echo 0 >$D/report_burst
	for kind in $KINDS; do
		applies "${kind%:*}" && offend "${kind%:*}" "${kind#*:}"
	done
	case $params in *quick*|*queue*) ;; *) walker ;; esac
	[ "$params" ] || limited
	must run use 1000
	is "users are well afterwards$mode" "$(broken)" 0
	drop_caches
	is "no page is held afterwards$mode" "$(value arena held)" 0
	log_clear
	unload
	is "no page is lost$mode" "$(log_lines)" \
		"curpage: unloaded: 0 pages not returned"
done
tainted
