/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CP_DEBUGFS_H
#define CP_DEBUGFS_H

void cp_debugfs_init(void);
void cp_debugfs_exit(void);

#endif /* CP_DEBUGFS_H */
