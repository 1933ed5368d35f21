// SPDX-License-Identifier: GPL-2.0
/* Atomic operations and locks of the lab. */

static u64 lab_load(const void *p, size_t size)
{
	assert(size == 4 || size == 8);
	return size == 4 ? *(const u32 *)p : *(const u64 *)p;
}

static void lab_store(void *p, u64 value, size_t size)
{
	lab_check_store(p);
	if (size == 4)
		*(u32 *)p = value;
	else
		*(u64 *)p = value;
}

u64 lab_xchg(void *p, u64 value, size_t size)
{
	u64 old;

	lab_step(p, size, true, _RET_IP_);
	old = lab_load(p, size);
	if (lab_faulty(LAB_FAULT_XCHG))
		lab_step(p, size, true, _RET_IP_);
	lab_store(p, value, size);
	return old;
}

bool lab_cmpxchg(void *p, void *old, u64 value, size_t size)
{
	u64 now;

	lab_step(p, size, true, _RET_IP_);
	now = lab_load(p, size);
	if (now != lab_load(old, size)) {
		lab_store(old, now, size);
		return false;
	}
	if (lab_faulty(LAB_FAULT_CMPXCHG))
		lab_step(p, size, true, _RET_IP_);
	lab_store(p, value, size);
	return true;
}

void lab_add(long *p, long n)
{
	long old;

	lab_step(p, sizeof(*p), true, _RET_IP_);
	old = *p;
	if (lab_faulty(LAB_FAULT_ADD))
		lab_step(p, sizeof(*p), true, _RET_IP_);
	*p = old + n;
}

void lab_inc(int *p)
{
	lab_step(p, sizeof(*p), true, _RET_IP_);
	++*p;
}

void lab_lock(bool *taken)
{
	lab_step(taken, sizeof(*taken), true, _RET_IP_);
	while (*taken && !lab_faulty(LAB_FAULT_LOCK))
		lab_wait(taken, sizeof(*taken));
	*taken = true;
}

bool lab_trylock(bool *taken)
{
	lab_step(taken, sizeof(*taken), true, _RET_IP_);
	if (*taken && !lab_faulty(LAB_FAULT_LOCK))
		return false;
	*taken = true;
	return true;
}

void lab_unlock(bool *taken)
{
	lab_step(taken, sizeof(*taken), true, _RET_IP_);
	assert(*taken || lab_faulty(LAB_FAULT_LOCK));
	*taken = false;
}

static struct rcu_head *lab_rcu;

void call_rcu(struct rcu_head *head, void (*func)(struct rcu_head *head))
{
	head->func = func;
	head->next = lab_rcu;
	lab_rcu = head;
}

void rcu_barrier(void)
{
	assert(!lab.preempt && !lab.spinning);
	while (lab_rcu) {
		struct rcu_head *head = lab_rcu;

		lab_rcu = head->next;
		head->func(head);
	}
}
