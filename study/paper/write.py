# SPDX-License-Identifier: GPL-2.0
"""Tables as CSV files, from which the pages of the documentation are made."""
import csv


def write_table(folder, table):
    """NAME.csv: the columns' names, then the cells as they are printed."""
    with open(folder / f"{table.name}.csv", "w", encoding="utf-8") as to:
        writer = csv.writer(to, lineterminator="\n")
        writer.writerow(table.columns)
        writer.writerows(table.cells())


def write(lab, folder):
    """Write all tables and curves that came out; times are not among them."""
    folder.mkdir(exist_ok=True)
    for section in lab.sections:
        for table in section["tables"] + section["curves"]:
            if table.name:
                write_table(folder, table)
