/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Capture the console's line of a report by KASAN or KFENCE.  KASAN fails the
 * KUnit test in whose thread it reports, so a worker makes the access that is
 * reported.
 */
#ifndef CP_KUNIT_TOLD_H
#define CP_KUNIT_TOLD_H

#define CP_TOLD_SIZE	80

int cp_told_begin(const char *title);
void cp_told_end(const char *title);
const char *cp_told_by(long (*fn)(void *arg), void *arg);
const char *cp_told_by_touch(void *addr);
void cp_told_expect(struct kunit *test, const char *told, const char *kind);

#endif /* CP_KUNIT_TOLD_H */
