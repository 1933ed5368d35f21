/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of the replay module offer, by file. */
#ifndef REPLAY_MOD_H
#define REPLAY_MOD_H

struct dentry;
struct replay;
struct replay_event;

/* chunks.c: record the chunks that the arena is lent. */
int replay_chunks_init(struct dentry *dir);
void replay_chunks_exit(void);

/* slub.c: make the same requests of SLUB. */
int replay_slub_init(void);
int replay_slub_event(struct replay *r, const struct replay_event *e);
void replay_slub_reset(void);
void replay_slub_exit(void);

#endif /* REPLAY_MOD_H */
