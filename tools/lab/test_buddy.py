# SPDX-License-Identifier: GPL-2.0
"""The buddies, as lab replay shows them."""
import json

import pytest
from hosttest import assert_refused

POLICIES = ("binary", "revised", "tailored")
POOLS = ((), ("--apart", 0), ("--desired", "3,2,0,5,1,1"))
DESIRED = "auto, numbers as in 0,0,4,2, uniform:LOW:HIGH:POOL or shares:POOL:"

BAD_OPTIONS = (
    # arguments, what the error says
    (("replay", "--buddy", "best", "x"),
     "--buddy 'best': must be one of binary, revised, tailored"),
    (("replay", "--desired", "", "x"), f"'': must be {DESIRED}"),
    (("replay", "--desired", "1,x", "x"), f"'1,x': must be {DESIRED}"),
    (("replay", "--desired", "1,", "x"), f"'1,': must be {DESIRED}"),
    (("replay", "--desired", ",".join("1" * 12), "x"),
     f"must be {DESIRED}"),
    (("replay", "--desired", "uniform:1:4097:8192", "x"),
     f"'uniform:1:4097:8192': must be {DESIRED}"),
    (("replay", "--desired", "uniform:9:8:8192", "x"),
     f"'uniform:9:8:8192': must be {DESIRED}"),
    (("replay", "--desired", "shares:0:1", "x"),
     f"'shares:0:1': must be {DESIRED}"),
    (("replay", "--apart", "2", "x"), "'2': must be 0 to 1"),
    (("replay", "--chunk-order", "11", "x"), "'11': must be 0 to 10"),
    (("replay", "--stock", "65", "x"), "'65': must be 0 to 64"),
    (("replay", "--arena-max-mb", "1048577", "x"),
     "'1048577': must be 0 to 1048576"),
    (("replay", "--arena-min-mb", "-1", "x"),
     "'-1': must be 0 to 1048576"),
    (("replay", "--arena-max-mb", "4", "--arena-min-mb", "5", "x"),
     "--arena-min-mb '5': must be 0 to 4"),
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


@pytest.mark.parametrize("args, word", BAD_OPTIONS,
                         ids=[" ".join(bad[0]) for bad in BAD_OPTIONS])
def test_refused(lab, args, word):
    """A bad argument is named, with what is allowed."""
    assert_refused(lab.run(*args), word)


@pytest.fixture
def pooled(lab, trace, seed):
    """pooled(POLICY, OPTION...): figures of a pool that keeps what comes back."""
    def replay(policy, *more):
        return json.loads(lab.output(
            "replay", "--json", "--buddy", policy, "--arena-min-mb", 64,
            "--stock", 0, *more, trace("blocks", seed)))
    return replay


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("more", POOLS, ids=lambda more: " ".join(map(str, more)))
def test_figures(pooled, policy, more):
    """Figures of a policy agree with each other."""
    got = pooled(policy, *more)
    assert not buddy_adds_up(got)
    assert not buddy_labours(got)
    assert got["buddy"]["policy"] == policy
    assert got["buddy"]["apart"] == ("--apart" not in more)


@pytest.mark.parametrize("more", POOLS, ids=lambda more: " ".join(map(str, more)))
def test_merges(pooled, more):
    """Revised buddies merge no more often than binary ones."""
    assert total(pooled("revised", *more), "merges") <= \
        total(pooled("binary", *more), "merges")


# 64 pages of 16 KiB do not fit into a MiB with one more block of any size.
FULL = "".join(f"a {i} 16384\n" for i in range(64))


def test_bound(lab, file):
    """The bound is filled to the last page."""
    got = json.loads(lab.output("replay", "--json", "--arena-max-mb", 1,
                                file("full", FULL)))
    assert got["arena"]["held"] == 256 and got["buddy"]["largest"] == 0


def test_past_the_bound(lab, file):
    """One block more is too many: exit status 1."""
    done = lab.run("replay", "--arena-max-mb", 1, file("full", FULL + "a 64 4096\n"))
    assert done.returncode == 1
    assert "line 65: " in done.stderr and "out of memory" in done.stderr


def test_desired(lab):
    """UNIFORM(1,300) over 4096 is Table 1 of 1980."""
    got = json.loads(lab.output("replay", "--json", "--buddy", "tailored",
                                "--desired", "uniform:1:300:4096", "/dev/null"))
    assert got["buddy"]["callers"]["desired"] == [0, 0, 0, 2, 3, 4, 7, 3, 0, 0, 0]
