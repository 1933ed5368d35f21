/* SPDX-License-Identifier: GPL-2.0 */
/* A CPU of the lab goes offline when a test says so, by lab.cpu_dead(). */
#ifndef LAB_CPUHOTPLUG_H
#define LAB_CPUHOTPLUG_H

#define CPUHP_BP_PREPARE_DYN	1
#define cpuhp_setup_state_nocalls(state, name, up, down)		\
	(lab.cpu_dead = (down), (state))
#define cpuhp_remove_state_nocalls(state) ((void)(state), lab.cpu_dead = NULL)

#endif /* LAB_CPUHOTPLUG_H */
