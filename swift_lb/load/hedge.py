"""Hedging: a late read is sent to a second device too, and the first answer is used.

    late      a read without a first byte after the tail_time, the p95, of the first device
              (load/tail_time.py), or SLOW times that of the second, if that is less: a read of a
              device known to be slow, such as a probe, does not wait for its own tail_time
    second    the next device of the order, if no more than `limit` reads of this host are queued
              there. Its node declines if it has more than `limit` requests, not counting those that
              stream to this host
    limit     LIMIT, and one more for each 1/STEPS of the second device's tail_time that the read
              waits beyond one tail_time. After one tail_time the wait may be chance, so only an
              idle device is used; after two it rarely is, so one with a short queue is used too
    budget    a token for each hedge. Each request to a device earns 1/21 of one: of 21 requests one
              may be a hedge, 5 % more than without. At most CAP are kept, none at first

A device that owes this host the first bytes of WITNESSES reads or more, and has sent none to any
worker for SILENT x the time after which a read is late, is silent: it most probably hangs. A late
read of it continues as if the device had declined: at the next device, with the order's own limit,
unless a read of this host has waited for that device as long. A device that hangs does not serve
its reads, so that the hedge adds no load. The hedge may therefore join a queue, and borrow a token:
up to DEBT tokens, which later requests pay back before any other hedge.

A hedge that is declined, or fails, may be followed by another, after a pause. At most two devices
have the read at a time, and each hedge takes a token.

Dean and Barroso, "The tail at scale", CACM 2013: a second request after the 95th percentile is
some 5 % of load and takes most of the tail. Hedges use idle capacity only: a hedge to a busy device
delays other reads, which then cause more hedges.

    LIMIT = 0       requests. With 1 the throughput of three clients on three devices is 1 to 3 %
                    less; if the limit does not grow, reads wait out a pause of 500 ms where no
                    device is idle (swift-lb sim, five seeds)
    STEPS = 2.5     with 3 the mean time of the scenario `paper` rises by 2 %; with 2 the p99.9
                    rises while a node becomes slow (swift-lb sim, scenario `slowed-node`)
    SLOW = 1.5      the estimated p95s of two equal devices differ by less; with 1 the p99 of the
                    scenario `paper` rises by some 5 % (swift-lb sim, twelve seeds)
    SILENT = 2      one exponential time in 400 exceeds twice its p95. With 1, one read in 70 of
                    equal disks is hedged in vain, with 2 one in 3000 (swift-lb sim, homogeneous)
    WITNESSES = 2   reads: one alone may be lost on its way
    DEBT = 40       tokens: a dozen disks that hang at once, with three reads each; 840 requests
                    repay it
    RETRY = 10 ms   the least pause after a refused hedge, and an eighth of the time waited: this
                    bounds the processor time spent on retries
    CAP = 10        tokens: gRPC throttles retries with a bucket of ten. If one disk of three has
                    pauses, with 1 the p99.9 is a third greater, 100 changes nothing (swift-lb sim)
"""
from math import inf
from typing import NamedTuple

from swift_lb.model import fast_tuple

LIMIT, ORDINARY = 0, inf    # requests; ORDINARY: the limit of the order itself
STEPS = 2.5
SLOW, SILENT = 1.5, 2.0     # tail_times
WITNESSES = 2               # reads
RETRY = 0.010               # seconds
CAP, DEBT = 10.0, 40.0     # tokens
EARNED = 1.0 / 21.0         # tokens for each request
ROUNDING = 1e-6             # steps


class HedgeBudget:
    """Keep the account of tokens for one LoadBook; each hedge costs a token."""

    __slots__ = ('_earned', '_tokens')

    def __init__(self, tokens=None, earned=EARNED):
        """`tokens[0]` holds the number of tokens, a debt if < 0; None: a new list with 0 tokens.

        `earned` is the part of a token that each request earns.
        """
        self._tokens, self._earned = [0.0] if tokens is None else tokens, earned

    def earn(self):
        """Add the part of a token that each request earns, 1/21 if it goes to a device."""
        tokens = self._tokens[0] + self._earned
        if not -DEBT <= tokens <= CAP:      # or a damaged word, in shared memory
            tokens = CAP if tokens > CAP else 0.0
        self._tokens[0] = tokens

    def has_token(self):
        """Return whether spend(), without a debt, would take a token."""
        return 1.0 <= self._tokens[0] <= CAP

    def spend(self, debt=0.0):
        """Take a token if then at most `debt` tokens are owed; return whether one was taken."""
        tokens = self._tokens[0]
        if not 1.0 - debt <= tokens <= CAP:
            return False
        self._tokens[0] = tokens - 1.0
        return True


class Delay(NamedTuple):
    """The times, in seconds, that decide when a read is hedged: sent to a second device, too."""

    late: float         # after the read was sent
    second_p95: float   # tail_time of the second device


def delay_of(book, first, second, size_class):
    """Return the Delay after which a read of the Node `first` may also be sent to `second`.

    It follows from the p95 that the LoadBook `book` has of each for reads of `size_class`. `second`
    may be None. The result is None if neither p95 is known.
    """
    own = book.tail_time(first, size_class)
    others = own if second is None else book.tail_time(second, size_class)
    if others is None:
        return None if own is None else fast_tuple(Delay, (own, own))
    if own is None:
        return fast_tuple(Delay, (others, others))
    longest = SLOW * others
    return fast_tuple(Delay, (own if own < longest else longest, others))


def hedge(book, first, second, now, asked_at, delay):
    """Return (limit, None) if a read of the Node `first` is now to be sent to `second`, too.

    Takes a token of the LoadBook `book` for it. The read was sent at the instant `asked_at`;
    `delay` is its Delay. `second` is to decline if it has more than `limit` requests. If `first`
    most probably hangs, `limit` is ORDINARY: the limit of the read's order holds. If no hedge may
    be made now, returns (None, seconds after which to try again).
    """
    waited = now - asked_at
    if _most_probably_hangs(book, first, second, now, SILENT * delay.late) and (
            book.hedges.spend(DEBT)):
        return ORDINARY, None
    limit = LIMIT + max(0, int(STEPS * (waited / delay.second_p95 - 1.0) + ROUNDING))
    if book.queued(second) <= limit and book.hedges.spend():
        return limit + book.snapshot((second,)).of(second).streaming, None
    return None, pause(waited, delay)


def pause(waited, delay):
    """Return the seconds until the next try to hedge a read that has waited `waited` seconds."""
    return max(delay.late / STEPS, RETRY, waited / 8)


def _most_probably_hangs(book, first, second, now, seconds):
    return (book.queued(first) >= WITNESSES and book.silence(first, now) >= seconds
            and book.silence(second, now) < seconds)
