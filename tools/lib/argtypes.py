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


def wholes(low, high):
    """Whole numbers with commas between them."""
    one = whole(low, high)
    return lambda text: [one(word) for word in text.split(",")]


def series(text):
    """A series of kernels; whether it is offered is seen later."""
    if not re.fullmatch(r"[0-9]+\.[0-9]+", text):
        raise argparse.ArgumentTypeError(
            f"'{text}': must be a series of kernels such as 6.12 or 6.1")
    return text
