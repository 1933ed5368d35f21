/* SPDX-License-Identifier: GPL-2.0 */
/* The functions of the kernel's circular lists that mm/ uses. */
#ifndef LAB_LIST_H
#define LAB_LIST_H

struct list_head {
	struct list_head *next, *prev;
};

/*
 * Items added to lists, which Brent (1984, section 7.2) counts.  Not in the
 * interleaving test, in which each access is one more step.
 */
extern unsigned long lab_list_adds;

static inline void lab_list_count(void)
{
#ifndef LAB_INTERLEAVE
	lab_list_adds++;
#endif
}

#define LIST_HEAD(name)	struct list_head name = { &(name), &(name) }

static inline void INIT_LIST_HEAD(struct list_head *head)
{
	head->next = head;
	head->prev = head;
}

static inline void lab_list_link(struct list_head *prev,
				 struct list_head *next)
{
	prev->next = next;
	next->prev = prev;
}

static inline void list_add(struct list_head *node, struct list_head *head)
{
	lab_list_count();
	lab_list_link(node, head->next);
	lab_list_link(head, node);
}

static inline void list_add_tail(struct list_head *node,
				 struct list_head *head)
{
	list_add(node, head->prev);
}

/* Remove a node and clear its links, so that a later use of it crashes. */
static inline void list_del(struct list_head *node)
{
	assert(node->next->prev == node && node->prev->next == node);
	lab_list_link(node->prev, node->next);
	node->next = NULL;
	node->prev = NULL;
}

static inline void list_del_init(struct list_head *node)
{
	list_del(node);
	INIT_LIST_HEAD(node);
}

static inline void list_move(struct list_head *node, struct list_head *head)
{
	list_del(node);
	list_add(node, head);
}

/* Move the nodes from first to last before head. */
static inline void list_bulk_move_tail(struct list_head *head,
				       struct list_head *first,
				       struct list_head *last)
{
	lab_list_count();
	lab_list_link(first->prev, last->next);
	lab_list_link(head->prev, first);
	lab_list_link(last, head);
}

static inline bool list_is_last(const struct list_head *entry,
				const struct list_head *head)
{
	return entry->next == head;
}

static inline bool list_empty(const struct list_head *head)
{
	return head->next == head;
}

static inline void list_splice_tail_init(struct list_head *from,
					 struct list_head *to)
{
	if (list_empty(from))
		return;
	lab_list_link(to->prev, from->next);
	lab_list_link(from->prev, to);
	INIT_LIST_HEAD(from);
}

#define container_of(ptr, type, member)					\
	((type *)((char *)(ptr) - offsetof(type, member)))
#define list_entry(ptr, type, member) container_of(ptr, type, member)
#define list_first_entry(head, type, member)				\
	list_entry((head)->next, type, member)
#define list_next_entry(pos, member)					\
	list_entry((pos)->member.next, __typeof__(*(pos)), member)
#define list_last_entry(head, type, member)				\
	list_entry((head)->prev, type, member)
/* At the end pos is no element, and may not be aligned as one. */
#define list_entry_is_head(pos, head, member)				\
	((char *)(pos) + offsetof(__typeof__(*(pos)), member) == (char *)(head))
#define list_first_entry_or_null(head, type, member)			\
	(list_empty(head) ? NULL : list_first_entry(head, type, member))

#define lab_list_step(p, dir, member)					\
	list_entry((p)->member.dir, __typeof__(*(p)), member)
#define list_for_each_entry(p, head, member)				\
	for ((p) = list_first_entry(head, __typeof__(*(p)), member);	\
	     !list_entry_is_head(p, head, member); (p) = lab_list_step(p, next, member))
#define list_for_each_entry_safe(p, n, head, member)			\
	for ((p) = list_first_entry(head, __typeof__(*(p)), member),	\
	     (n) = lab_list_step(p, next, member);			\
	     !list_entry_is_head(p, head, member);				\
	     (p) = (n), (n) = lab_list_step(n, next, member))
#define list_for_each_entry_safe_reverse(p, n, head, member)		\
	for ((p) = list_last_entry(head, __typeof__(*(p)), member),	\
	     (n) = lab_list_step(p, prev, member);			\
	     !list_entry_is_head(p, head, member);				\
	     (p) = (n), (n) = lab_list_step(n, prev, member))

#endif /* LAB_LIST_H */
