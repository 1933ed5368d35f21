// SPDX-License-Identifier: GPL-2.0
/*
 * kmemleak, asked when all other suites are over: have they lost anything?
 * It is reached as from user space, through its file in debugfs.
 */
#include "common.h"

#include <linux/delay.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mman.h>
#include <linux/mount.h>
#include <linux/uaccess.h>

#define AGE_MS	5500	/* kmemleak passes over what is younger than 5 s */
#define PLANTED	8

struct fixture {
	struct vfsmount *mnt;
	struct file *file;
	char __user *user;
	char text[PAGE_SIZE];
	unsigned long hidden[PLANTED];
};

static struct fixture *setup(struct kunit *test)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	unsigned long user;

	KUNIT_ASSERT_NOT_NULL(test, f);
	user = kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE,
			     MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_NE(test, 0, user);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(user));
	f->user = (char __user *)user;
	f->mnt = kern_mount(get_fs_type("debugfs"));
	KUNIT_ASSERT_FALSE(test, IS_ERR(f->mnt));
	f->file = file_open_root_mnt(f->mnt, "kmemleak", O_RDWR, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(f->file));
	return f;
}

static void finish(struct fixture *f)
{
	fput(f->file);
	kern_unmount(f->mnt);
}

/* Twice, as what has changed since the last scan is given another chance. */
static void scan(struct kunit *test, struct fixture *f)
{
	static const char word[] = "scan";
	unsigned int i;
	loff_t pos = 0;

	msleep(AGE_MS);
	KUNIT_ASSERT_EQ(test, 0, copy_to_user(f->user, word, sizeof(word)));
	for (i = 0; i < 2; i++)
		KUNIT_ASSERT_EQ(test, sizeof(word) - 1,
				f->file->f_op->write(f->file, f->user,
						     sizeof(word) - 1, &pos));
}

static unsigned int count_in(const char *text)
{
	static const char words[] = "unreferenced object";
	unsigned int nr = 0;

	while ((text = strstr(text, words))) {
		text += sizeof(words) - 1;
		nr++;
	}
	return nr;
}

/* Objects that nothing points to; they are shown if there should be none. */
static unsigned int count_leaks(struct kunit *test, struct fixture *f,
				bool show)
{
	unsigned int nr = 0;
	loff_t pos = 0;
	ssize_t n;

	for (;;) {
		n = f->file->f_op->read(f->file, f->user, PAGE_SIZE - 1, &pos);
		KUNIT_ASSERT_GE(test, n, 0);
		if (!n)
			return nr;
		KUNIT_ASSERT_EQ(test, 0, copy_from_user(f->text, f->user, n));
		f->text[n] = '\0';
		nr += count_in(f->text);
		if (show)
			kunit_info(test, "%s", f->text);
	}
}

static void nothing_was_lost_by_any_test(struct kunit *test)
{
	struct fixture *f = setup(test);

	scan(test, f);
	KUNIT_EXPECT_EQ(test, 0, count_leaks(test, f, true));
	finish(f);
}

static noinline void plant(struct fixture *f)
{
	unsigned int i;

	for (i = 0; i < PLANTED; i++)
		f->hidden[i] = ~(unsigned long)curpage_alloc(96, GFP_KERNEL);
}

/* The control; an address may linger on the stack, but not all of them. */
static void lost_blocks_are_found(struct kunit *test)
{
	struct fixture *f = setup(test);
	unsigned int i, found;

	plant(f);
	scan(test, f);
	found = count_leaks(test, f, false);
	kunit_info(test, "%u of %u lost blocks found", found, PLANTED);
	KUNIT_EXPECT_GE(test, found, PLANTED / 2);
	KUNIT_EXPECT_LE(test, found, PLANTED);
	for (i = 0; i < PLANTED; i++)
		curpage_free((void *)~f->hidden[i]);
	finish(f);
}

static struct kunit_case cp_leak_cases[] = {
	KUNIT_CASE_SLOW(nothing_was_lost_by_any_test),
	KUNIT_CASE_SLOW(lost_blocks_are_found),
	{}
};

CP_TEST_SUITE(leak);
