/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Refuse to build where curpage would be wrong.  Kconfig refuses the same in a
 * kernel's tree.  Documentation/design.rst lists these machines, and what is
 * done for others.  page.c asserts the shape of struct page.
 */
#ifndef CP_REFUSE_H
#define CP_REFUSE_H

#ifndef CONFIG_MMU
#error "curpage: without an MMU there is no linear map to number pages by"
#endif
#ifndef CONFIG_64BIT
#error "curpage: 32 bits have no room for the word of a page in struct page"
#endif
#if defined(CONFIG_PARISC) || defined(CONFIG_MIPS) || defined(CONFIG_SPARC)
#error "curpage: flush_dcache_page() takes page->mapping for a file's here"
#endif
#if PAGE_SHIFT > 14
#error "curpage: pages of more than 16 KiB have more blocks than a word counts"
#endif

#endif /* CP_REFUSE_H */
