/* SPDX-License-Identifier: GPL-2.0 */
/* Memory of allocators that are not ours. */
#ifndef ENGINE_PEERS_H
#define ENGINE_PEERS_H

#include "engine.h"

/* What is there before a library is loaded; the rest is its own. */
bool peer_resident_start(void);
/* Bytes of memory that it has in pages, tables and all. */
size_t peer_resident(void);

/* Bytes of the pages that are there, of whole ones. */
size_t peer_pages(unsigned long from, unsigned long to);

#endif /* ENGINE_PEERS_H */
