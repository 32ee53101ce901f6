"""random: every order equally likely.

Source: nginx's `random` without `two`, all weights being equal.
"""
from swift_lb.policy.shuffle import Shuffle


class AtRandom(Shuffle):
    """Order at random."""

    choices, counts = None, False
