/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CP_DEBUGFS_H
#define CP_DEBUGFS_H

struct dentry;

/* debugfs.c */
void cp_debugfs_init(void);
void cp_debugfs_exit(void);
char *cp_debugfs_word(const char __user *ubuf, size_t count, char *buf,
		      size_t size);

/* debugfs_buddy.c */
void cp_debugfs_buddy_init(struct dentry *dir);

#endif /* CP_DEBUGFS_H */
