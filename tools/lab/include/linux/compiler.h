/* SPDX-License-Identifier: GPL-2.0 */
/* The public header includes this; kernel.h, which is forced in, has it all. */
