#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Which CPUs are interrupted when a task stands in for them: there are 8, of which
# 6 is isolated (isolcpus=) and 7 runs without a tick (nohz_full=).
# shellcheck source=tools/test/guest/lib.sh
. /guest/lib.sh

# The scheduler may use CPU 7 for anything; not for this.
must taskset -p 3f $$ >/dev/null

# column N: that column of file cpus, a word for each CPU
column() {
	awk -v n="$1" 'NR > 1 { printf "%s%s", sep, $n; sep = " " }' $D/cpus
}

# delta BEFORE AFTER: of so many words each
delta() {
	echo "$1 $2" | awk '{
	for (i = 1; i <= NF / 2; i++) {
		printf "%s%d", sep, $(NF / 2 + i) - $i
		sep = " "
	} }'
}

# Run a command; what interrupts it caused, a number for each CPU.
interrupts() {
	before=$(column 3)
	"$@" >/dev/null
	delta "$before" "$(column 3)"
}

# 8 numbers: none is greater than 1, and their sum is at most 8.
few() {
	echo "$1" | awk '{
	for (i = 1; i <= NF; i++) { sum += $i; if ($i > 1) exit 1 }
	exit NF != 8 || sum > 8 }'
}

# Not drop_caches, whose look at file check interrupts CPUs, too: here nobody else
# has the list of caches.
shrink() {
	echo 2 >/proc/sys/vm/drop_caches
}

# Each of 8 CPUs has an empty page of 50 caches, and a page block in stock.
all_of_them() {
	load_with idle_ms=0
	is "isolated CPUs are known" "$(column 2)" "0 0 0 0 0 0 1 1"
	must run many 50
	is "each CPU has an empty page of 50 caches" "$(column 5)" \
		"50 50 50 50 50 50 50 50"
	is "and a page in stock" "$(column 6)" "1 1 1 1 1 1 1 1"
	sent=$(interrupts shrink)
	is "the shrinker gives all of them back" "$(value arena held)" 0
	check "for 408 heaps and stocks it sends at most 8 interrupts: $sent" \
		few "$sent"
	is "isolated CPUs get theirs: without them it was not enough" \
		"${sent#* * * * * * }" "1 1"
	is "nobody is interrupted where nothing is to be had" \
		"$(interrupts shrink)" "0 0 0 0 0 0 0 0"
	is "nor for caches that have no page" "$(interrupts run many-end)" \
		"0 0 0 0 0 0 0 0"
	must run many 1
	sent=$(interrupts run many-end)
	check "one with a page on every CPU: $sent" few "$sent"
	is "all of its pages are gone" "$(value arena cache_pages)" 0
	is "nothing is broken" "$(broken)" 0
	unload
}

# Until CPU 0 has no empty page any more, and once more for who comes later.
idle_looks() {
	i=0
	while [ "$(column 5 | cut -d ' ' -f 1)" -gt 0 ]; do
		sleep 0.2
		[ $((i += 1)) -le 100 ] || break
	done
	sleep 1
}

# What is not used goes back, but not from isolated CPUs.
idle() {
	load_with idle_ms=200
	must run many 50
	sent=$(interrupts idle_looks)
	is "the look for what is idle leaves isolated CPUs alone" \
		"${sent#* * * * * * }" "0 0"
	is "which keep their pages" "$(column 5)" "0 0 0 0 0 0 50 50"
	is "and their blocks in stock" "$(column 6)" "0 0 0 0 0 0 1 1"
	drop_caches
	is "until memory is short" "$(value arena held)" 0
	unload
}

# 20 pages of 512 blocks each that came back from another CPU.
collect() {
	load
	must run collect 20
	collected=$(value caches/size-8/stats collected)
	check "an interrupt takes in blocks, but not all: $collected of 10240" \
		test "$collected" -ge 1 -a "$collected" -lt 1024
	must run collect-end
	drop_caches
	is "the others come later" "$(value caches/size-8/stats pending)" 0
	is "and no page is held" "$(value arena held)" 0
	unload
}

all_of_them
idle
collect
