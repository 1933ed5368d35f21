#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# With panic_on_warn=1: the first report is the end of the guest.
# shellcheck source=tools/test/guest/lib.sh
. /guest/lib.sh

load
run "double 1"
not_ok "the guest has survived a report"
