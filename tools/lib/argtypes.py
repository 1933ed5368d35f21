# SPDX-License-Identifier: GPL-2.0
"""Types of arguments for argparse, whose errors name the value and what may be."""
import argparse
import re


def whole(low, high):
    """A whole number within bounds."""
    def parse(text):
        # As int() it may be very long, or of digits that are not ASCII's.
        if not text.isascii() or not text.isdigit() or len(text) > 20 \
                or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(
                f"'{text}': must be a whole number from {low} to {high}")
        return int(text)
    return parse


def words(allowed, kind=str):
    """Words with commas between them, each of them known; none twice."""
    def parse(text):
        found = text.split(",")
        for word in found:
            if word not in allowed:
                raise argparse.ArgumentTypeError(
                    f"'{word}': must be one of {', '.join(allowed)}")
        return list(dict.fromkeys(map(kind, found)))
    return parse


def one_of(allowed):
    """A word that is known."""
    def parse(text):
        if text not in allowed:
            raise argparse.ArgumentTypeError(
                f"'{text}': must be one of {', '.join(allowed)}")
        return text
    return parse


def many(one):
    """Of one type each, with commas between them."""
    return lambda text: [one(word) for word in text.split(",")]


def series(*names):
    """A series of kernels, whether it is offered or not, or one of the names."""
    def parse(text):
        if text not in names and not re.fullmatch(r"[0-9]+\.[0-9]+(-rt)?", text):
            raise argparse.ArgumentTypeError(
                f"'{text}': must be {''.join(f'{name}, ' for name in names)}"
                f"{'or ' if names else ''}a series of kernels such as 6.12")
        return text
    return parse
