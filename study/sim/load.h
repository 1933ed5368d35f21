/* SPDX-License-Identifier: GPL-2.0 */
/* The loads: a row each, a file each, all named in sim_loads[] (options.c). */
#ifndef LOAD_H
#define LOAD_H

#include "sim.h"

extern const struct sim_load load_pqsim;
extern const struct sim_load load_tridiag;
extern const struct sim_load load_cambridg;
extern const struct sim_load load_yktvmv;

#endif /* LOAD_H */
