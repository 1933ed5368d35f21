/* SPDX-License-Identifier: GPL-2.0 */
/* Allocation by size. */
#ifndef CP_SIZE_H
#define CP_SIZE_H

#include "size/sizemap.h"

int cp_size_init(void);
void cp_size_exit(void);
void cp_size_set_crossover(unsigned int bytes);
unsigned int cp_size_crossover(void);

#endif /* CP_SIZE_H */
