# SPDX-License-Identifier: GPL-2.0
"""What is left of a run: tables, bench.txt, bench.json and the chart."""
import json

import table


def _text(sections):
    lines = []
    for section in sections:
        lines += table.section(section.title(), section.rows)
    return lines


def _document(sections, about):
    """The first kernel's figures, with those of the memory; then the others'
    in the same form."""
    first, *rest = [{"kernel": section.kernel, "mode": section.mode,
                     "init_on_alloc": section.init_on_alloc,
                     "cases": list(section.rows)} for section in sections]
    for form in rest:
        if form["mode"] == "memory":
            first["cases"] += form["cases"]
    return first | about | {
        "also": [form for form in rest if form["mode"] != "memory"]}


def summary(sections):
    """How many rows are where, in one line."""
    rows = [(section.mode, row) for section in sections
            for row in section.rows if row["bar"] is not None]
    over = [f"{row['name']} {mode}" if mode == "native" else row["name"]
            for mode, row in rows if row["ratio"] > row["bar"]]
    aim = sum(row["ratio"] <= row["aim"] for _, row in rows)
    return (f"{len(rows)} rows have a bar: {aim} meet their aim, "
            f"{len(rows) - len(over) - aim} their bar, {len(over)} neither"
            + (f" ({', '.join(over)})" if over else ""))


def write(sections, about, folder):
    """Print the tables, write the files."""
    # Only here: the check does without the plotting package.
    import chart  # pylint: disable=import-outside-toplevel
    lines = [*_text(sections), summary(sections)]
    print("\n".join(lines))
    (folder / "bench.txt").write_text("\n".join(lines) + "\n",
                                      encoding="utf-8")
    (folder / "bench.json").write_text(
        json.dumps(_document(sections, about), indent=2) + "\n",
        encoding="utf-8")
    drawn = chart.draw(sections, folder)
    print(f"In {folder}: bench.txt, bench.json"
          + (", bench.png, bench.svg" if drawn else ""))
