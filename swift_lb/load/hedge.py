"""Hedging: a read that is late is sent to a second device too, and the first answer is taken.

    late      after tail_time of the first device (load/tail_time.py), or SLOW times that of the
              second, if that is less: a read of a device that is known to be slow, as a probe is,
              does not wait for as long as such a device takes
    where     the next of the order, if no more than `limit` reads of this host are queued there,
              and the node is asked to decline if it has more than `limit` requests, those that
              stream to this host not counted
    limit     LIMIT, and one more for each further 1/STEPS of the second one's tail_time: after one
              tail_time the wait may be chance, so only an idle device is asked; after two it rarely
              is, so a device with a short queue is asked too
    budget    a token for each hedge. Each request to a device earns 1/21 of one: of 21 requests one
              may be a hedge, 5 % more than without. At most CAP are kept, none at first

A device is silent that owes this host the first bytes of WITNESSES reads or more, and has given
none to any worker for SILENT x the time after which a read is late. It most probably hangs. A late
read of it goes on as if the device had declined: to the next of the order, with the limit it has
there, unless that has left a single read of this host waiting for as long. A device that hangs does
not serve its reads, so that the hedge adds no load; it may join a queue, and borrow a token: up to
DEBT, which later requests pay back before any other hedge is made.

A hedge that is declined, or fails, may be followed by another, after a pause; two devices are asked
at a time, and each hedge takes a token.

Dean and Barroso, "The tail at scale", CACM 2013: a second request after the 95th percentile is
some 5 % of load and takes most of the tail. Hedges use idle capacity only: a hedge to a busy device
delays other reads, which then cause more hedges.

    LIMIT = 0       requests. With 1, three clients on three devices get 1 to 3 % less; a limit that
                    does not grow leaves a read behind a pause of 500 ms where nobody idles
                    (swift-lb sim, five seeds)
    STEPS = 2.5     with 3 the mean of `paper` rises by 2 %; with 2 the p99.9 of the moment at which
                    a node becomes slow (swift-lb sim, slowed-node)
    SLOW = 1.5      the p95s that are kept of two devices that are alike differ by less; with 1 the
                    p99 of `paper` rises by some 5 % (swift-lb sim, twelve seeds)
    SILENT = 2      of exponential times one in 400 is greater. With 1, one read of 70 of disks that
                    are alike is hedged for nothing, with 2 one of 3000 (swift-lb sim, homogeneous)
    WITNESSES = 2   reads: one alone may be lost on its way
    DEBT = 40       tokens: a dozen disks that hang at once, with three reads each; 840 requests
                    repay it
    RETRY = 10 ms   at least, and an eighth of the time waited, before a hedge that was refused is
                    tried again: this bounds the processor time spent on retries
    CAP = 10        tokens: gRPC's, which throttles retries with a bucket of ten. One disk of three
                    pauses: with 1 the p99.9 is a third greater, 100 changes nothing (swift-lb sim)
"""
from math import inf
from typing import NamedTuple

from swift_lb.model import make

LIMIT, ORDINARY = 0, inf    # requests; ORDINARY stands for the limit that the order gives
STEPS = 2.5
SLOW, SILENT = 1.5, 2.0     # tail_times
WITNESSES = 2               # reads
RETRY = 0.010               # seconds
CAP, DEBT = 10.0, 40.0     # tokens
EARNED = 1.0 / 21.0         # a request
ROUNDING = 1e-6             # steps


class HedgeBudget:
    """The tokens of one book."""

    __slots__ = ('_tokens',)

    def __init__(self, tokens=None):
        """`tokens` is where they are kept, a mutable sequence of one number; below 0 is debt."""
        self._tokens = [0.0] if tokens is None else tokens

    def earn(self):
        """Account for a request to a device."""
        tokens = self._tokens[0] + EARNED
        if not -DEBT <= tokens <= CAP:      # or it is what nobody wrote, where memory is shared
            tokens = CAP if tokens > CAP else 0.0
        self._tokens[0] = tokens

    def spend(self, debt=0.0):
        """Take a token for a hedge, with which at most `debt` are owed; return whether it could."""
        tokens = self._tokens[0]
        if not 1.0 - debt <= tokens <= CAP:
            return False
        self._tokens[0] = tokens - 1.0
        return True


class Delay(NamedTuple):
    """How long a read waits before it is hedged, in seconds."""

    late: float     # since it was sent
    usual: float    # what nineteen in twenty reads of the second device stay below


def delay_of(book, first, second, size_class):
    """Return the Delay of a read of `first` that may be sent to `second` too.

    `second` may be None. Returns None where neither device has answered a read of this class.
    """
    own = book.tail_time(first, size_class)
    usual = own if second is None else book.tail_time(second, size_class)
    if usual is None:
        return None if own is None else make(Delay, (own, own))
    if own is None:
        return make(Delay, (usual, usual))
    most = SLOW * usual
    return make(Delay, (own if own < most else most, usual))


def hedge(book, first, second, now, asked_at, delay):
    """Return (the most requests that `second` may have and be asked now as well, None).

    A token has then been taken. The most is ORDINARY where `first` is silent. If `second` may not
    be asked, returns (None, the seconds after which to try again).
    """
    waited = now - asked_at
    if _most_probably_hangs(book, first, second, now, SILENT * delay.late) and (
            book.hedges.spend(DEBT)):
        return ORDINARY, None
    limit = LIMIT + max(0, int(STEPS * (waited / delay.usual - 1.0) + ROUNDING))
    if book.queued(second) <= limit and book.hedges.spend():
        return limit + book.snapshot((second,)).of(second).streaming, None
    return None, pause(waited, delay)


def pause(waited, delay):
    """Return after how many seconds to try again to hedge a read that has `waited`."""
    return max(delay.late / STEPS, RETRY, waited / 8)


def _most_probably_hangs(book, first, second, now, patience):
    return (book.queued(first) >= WITNESSES and book.silence(first, now) >= patience
            and book.silence(second, now) < patience)
