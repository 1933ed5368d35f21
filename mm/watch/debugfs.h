/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of debugfs share: debugfs.c and debugfs_buddy.c. */
#ifndef CP_DEBUGFS_H
#define CP_DEBUGFS_H

struct dentry;

/*
 * Define NAME_fops for a file that is shown by NAME_show() and set by
 * NAME_write().
 */
#define CP_DEBUGFS_FILE(name)						\
static int name##_open(struct inode *inode, struct file *file)		\
{									\
	return single_open(file, name##_show, inode->i_private);	\
}									\
static const struct file_operations name##_fops = {			\
	.owner		= THIS_MODULE,					\
	.open		= name##_open,					\
	.read		= seq_read,					\
	.write		= name##_write,					\
	.llseek		= seq_lseek,					\
	.release	= single_release,				\
}

/*
 * Copy one word from the user, without the white space around it.
 *
 * Return: the word, which is in @buf; NULL if it is too long or cannot be read.
 */
static inline char *cp_debugfs_word(const char __user *ubuf, size_t count,
				    char *buf, size_t size)
{
	if (count >= size)
		return NULL;
	if (copy_from_user(buf, ubuf, count))
		return NULL;
	buf[count] = '\0';
	return strim(buf);
}

/* debugfs.c */
void cp_debugfs_init(void);
void cp_debugfs_exit(void);

/* debugfs_buddy.c */
void cp_debugfs_buddy_init(struct dentry *dir);

/* debugfs_study.c, of the study */
void cp_debugfs_study_init(struct dentry *dir);

#endif /* CP_DEBUGFS_H */
