# SPDX-License-Identifier: GPL-2.0
# For the tests on the host: one line a check, and the sum in the end.
# shellcheck shell=bash

passed=0
failed=0

ok() {
	echo "ok - $*"
	passed=$((passed + 1))
}

not_ok() {
	echo "not ok - $*"
	failed=$((failed + 1))
}

# is WHAT GOT WANTED
is() {
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1: '$2', not '$3'"
	fi
}

# Add the checks that a guest has printed.
count_lines() {
	passed=$((passed + $(grep -c '^ok - ' "$1" || true)))
	failed=$((failed + $(grep -c '^not ok - ' "$1" || true)))
}

# The last line; the exit status of the test.
finish() {
	echo "$passed passed, $failed failed"
	[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}
