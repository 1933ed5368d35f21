/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CONVERT_H
#define CONVERT_H

/* What else the head of a trace says: lines without a line end. */
struct convert_notes {
	const char **line;
	unsigned int nr;
};

/*
 * Makes a trace of a recording's file.  0; 1 when the trace is there but the
 * recording was not whole, -1 when there is no trace; why was said.
 */
int convert(const char *raw, const char *trace,
	    const struct convert_notes *notes);

#endif /* CONVERT_H */
