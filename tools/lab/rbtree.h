/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions of the kernel's red-black trees that mm/ uses.  Trees have the
 * same shape as in the kernel, so a search visits the same nodes.
 */
#ifndef LAB_RBTREE_H
#define LAB_RBTREE_H

struct rb_node {
	struct rb_node *parent;
	union {
		struct rb_node *child[2];
		struct {
			struct rb_node *rb_left, *rb_right;
		};
	};
	bool red;
};

struct rb_root {
	struct rb_node *rb_node;
};

struct rb_augment_callbacks {
	void (*propagate)(struct rb_node *node, struct rb_node *stop);
	void (*copy)(struct rb_node *old, struct rb_node *new);
	void (*rotate)(struct rb_node *old, struct rb_node *new);
};

#define RB_ROOT		((struct rb_root){ NULL })
#define rb_parent(n)	((n)->parent)
#define rb_entry(ptr, type, member)					\
	((type *)((char *)(ptr) - offsetof(type, member)))

static inline void rb_link_node(struct rb_node *node, struct rb_node *parent,
				struct rb_node **link)
{
	*node = (struct rb_node){ .parent = parent, .red = true };
	*link = node;
}

void rb_insert_augmented(struct rb_node *node, struct rb_root *root,
			 const struct rb_augment_callbacks *augment);
void rb_erase_augmented(struct rb_node *node, struct rb_root *root,
			const struct rb_augment_callbacks *augment);
struct rb_node *rb_first(const struct rb_root *root);
struct rb_node *rb_next(const struct rb_node *node);

/* Keep in each node the maximum of compute() over its subtree. */
#define RB_DECLARE_CALLBACKS_MAX(rb_static, name, rb_struct, field, rb_type,\
				 max_of, compute)			\
static inline bool name##_compute_max(rb_struct *node, bool exit)	\
{									\
	rb_type max = compute(node);					\
	int i;								\
									\
	for (i = 0; i < 2; i++) {					\
		struct rb_node *child = node->field.child[i];		\
									\
		if (child && rb_entry(child, rb_struct, field)->max_of > max)\
			max = rb_entry(child, rb_struct, field)->max_of;\
	}								\
	if (exit && node->max_of == max)				\
		return true;						\
	node->max_of = max;						\
	return false;							\
}									\
static void name##_propagate(struct rb_node *rb, struct rb_node *stop)	\
{									\
	for (; rb != stop; rb = rb_parent(rb))				\
		if (name##_compute_max(rb_entry(rb, rb_struct, field), true))\
			break;						\
}									\
static void name##_copy(struct rb_node *old, struct rb_node *new)	\
{									\
	rb_entry(new, rb_struct, field)->max_of =			\
		rb_entry(old, rb_struct, field)->max_of;		\
}									\
static void name##_rotate(struct rb_node *old, struct rb_node *new)	\
{									\
	name##_copy(old, new);						\
	name##_compute_max(rb_entry(old, rb_struct, field), false);	\
}									\
rb_static const struct rb_augment_callbacks name = {			\
	.propagate = name##_propagate,					\
	.copy = name##_copy,						\
	.rotate = name##_rotate,					\
};

#endif /* LAB_RBTREE_H */
