#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Run the named scripts in turn; one that ends early is a failed check.
for name; do
	sh "/guest/$name.sh" || echo "not ok - $name: ended early, status $?"
	rmmod curpage_test 2>/dev/null
	rmmod curpage 2>/dev/null
done
exit 0
