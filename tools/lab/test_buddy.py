# SPDX-License-Identifier: GPL-2.0
"""Tests of the buddies, as lab replay shows them."""
import json

DESIRED = "auto, numbers as in 0,0,4,2, uniform:LOW:HIGH:POOL or shares:POOL:"

BAD_OPTIONS = (
    # arguments, what the error says
    (("replay", "--buddy", "best", "x"),
     "--buddy 'best': must be one of binary, revised, tailored", None),
    (("replay", "--desired", "", "x"), f"'': must be {DESIRED}", None),
    (("replay", "--desired", "1,x", "x"), f"'1,x': must be {DESIRED}", None),
    (("replay", "--desired", "1,", "x"), f"'1,': must be {DESIRED}", None),
    (("replay", "--desired", ",".join("1" * 12), "x"),
     f"must be {DESIRED}", None),
    (("replay", "--desired", "uniform:1:4097:8192", "x"),
     f"'uniform:1:4097:8192': must be {DESIRED}", None),
    (("replay", "--desired", "uniform:9:8:8192", "x"),
     f"'uniform:9:8:8192': must be {DESIRED}", None),
    (("replay", "--desired", "shares:0:1", "x"),
     f"'shares:0:1': must be {DESIRED}", None),
    (("replay", "--apart", "2", "x"), "'2': must be 0 to 1", None),
    (("replay", "--chunk-order", "11", "x"), "'11': must be 0 to 10", None),
    (("replay", "--stock", "65", "x"), "'65': must be 0 to 64", None),
    (("replay", "--arena-max-mb", "1048577", "x"),
     "'1048577': must be 0 to 1048576", None),
    (("replay", "--arena-min-mb", "-1", "x"),
     "'-1': must be 0 to 1048576", None),
    (("replay", "--arena-max-mb", "4", "--arena-min-mb", "5", "x"),
     "--arena-min-mb '5': must be 0 to 4", None),
)


def lists_of(buddy):
    """Both buddies, or the one that there is."""
    return [buddy[name] for name in ("callers", "caches") if name in buddy]


def total(lab, name):
    """A counter, of all orders and both buddies."""
    return sum(sum(lists[name]) for lists in lists_of(lab["buddy"]))


def buddy_adds_up(lab):
    """Free pages from what was borrowed, cut and joined; what is not so."""
    buddy, arena = lab["buddy"], lab["arena"]
    free = sum(count << order for lists in lists_of(buddy)
               for order, count in enumerate(lists["free"]))
    if free != arena["free_pages"]:
        return f"{free} pages on lists, {arena['free_pages']} counted"
    asked, missed = total(lab, "asked"), total(lab, "missed")
    if missed > asked or asked < arena["take"]:
        return f"{asked} asked, {missed} missed, {arena['take']} taken"
    for lists in lists_of(buddy):
        for order, pairs in enumerate(lists["pairs"]):
            if 2 * pairs > lists["free"][order]:
                return f"{pairs} pairs of {lists['free'][order]} blocks"
            if pairs and buddy["policy"] == "binary":
                return f"{pairs} pairs with {buddy['policy']}"
    return ""


def buddy_labours(lab):
    """Is more cut and joined than can be of use? What is not so."""
    work, asked = total(lab, "splits") + total(lab, "merges"), \
        total(lab, "asked")
    return f"{work} cut and joined for {asked} requests" \
        if work > 8 * asked else ""


def test_buddy(suite):
    """Policies, in pools that keep what comes back: figures that agree."""
    trace = suite.file("trace", suite.output(
        "gen", "--profile", "blocks", "--events", 5000, "--seed", suite.seed))
    merges = {}
    for policy in ("binary", "revised", "tailored"):
        why = ""
        for more in ((), ("--apart", 0), ("--desired", "3,2,0,5,1,1")):
            lab = json.loads(suite.output(
                "replay", "--json", "--buddy", policy, "--arena-min-mb", 64,
                "--stock", 0, *more, trace))
            why = why or buddy_adds_up(lab) or buddy_labours(lab)
            merges.setdefault(policy, []).append(total(lab, "merges"))
            if lab["buddy"]["policy"] != policy or lab["buddy"]["apart"] != (
                    "--apart" not in more):
                why = why or f"{policy} {more}: {lab['buddy']}"
        suite.say(not why, f"buddy {policy}: the figures agree", why)
    suite.say(all(revised <= binary for revised, binary
                  in zip(merges["revised"], merges["binary"])),
              f"buddy: no more merges of revised than of binary: {merges}")
    # 64 pages of 16 KiB do not fit into a MiB with one more block of any size.
    full = suite.file("full", "".join(f"a {i} 16384\n" for i in range(64)))
    lab = json.loads(suite.output("replay", "--json", "--arena-max-mb", 1,
                                  full))
    suite.say(lab["arena"]["held"] == 256 and lab["buddy"]["largest"] == 0,
              "buddy: the bound is filled to the last page",
              f"{lab['arena']} {lab['buddy']}")
    full.write_text(full.read_text() + "a 64 4096\n")
    done = suite.run("replay", "--arena-max-mb", 1, full)
    suite.say(done.returncode == 1 and b"line 65: " in done.stderr
              and b"out of memory" in done.stderr,
              "buddy: past the bound, exit status 1", done.stderr.decode())
    taken = json.loads(suite.output(
        "replay", "--json", "--buddy", "tailored", "--desired",
        "uniform:1:300:4096", "/dev/null"))
    suite.say(taken["buddy"]["callers"]["desired"] ==
              [0, 0, 0, 2, 3, 4, 7, 3, 0, 0, 0],
              "buddy: UNIFORM(1,300) over 4096 is Table 1 of 1980",
              str(taken["buddy"]["callers"]["desired"]))
