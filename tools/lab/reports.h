/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LAB_REPORTS_H
#define LAB_REPORTS_H

/* Count the reports of every kind so far. */
static inline unsigned long lab_all_reports(void)
{
	unsigned long sum = 0;
	enum cp_bad bad;

	for (bad = 0; bad < CP_NR_BAD; bad++)
		sum += cp_report_count(bad);
	return sum;
}

#endif /* LAB_REPORTS_H */
