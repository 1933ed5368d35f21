#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Run the named scripts in turn; one that ends early is a failed check.
# shellcheck source=tools/vm/lib/lib.sh
. /vm/lib.sh

for name; do
	sh "/guest/$name.sh" ||
		not_ok "$name: ended early, status $?"
	rmmod curpage_test 2>/dev/null
	rmmod curpage 2>/dev/null
done
plan
exit 0
