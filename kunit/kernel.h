/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All kernel headers that the suites use, in one list.  The lab has a twin of
 * this file with the same guard (tools/lab/kunit).  A suite that the lab does
 * not compile includes headers of its own.
 */
#ifndef CP_KUNIT_KERNEL_H
#define CP_KUNIT_KERNEL_H

#include "base/kernel.h"

#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/debug_locks.h>
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/jump_label.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/memblock.h>
#include <linux/moduleparam.h>
#include <linux/prandom.h>
#include <linux/ptrace.h>
#include <linux/vmalloc.h>

#endif /* CP_KUNIT_KERNEL_H */
