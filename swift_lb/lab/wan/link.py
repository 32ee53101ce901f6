"""A link between two sites: its options, and when a packet that is sent over it arrives. Pure.

One direction of a link is a queue in front of a line, as in a router:

    sent                 max(now, end of the packet before) + 8 x size / rate
    arrival              sent + rtt / 2

A packet is lost by chance, with probability `loss`, or if it would wait for longer than BUFFER.
`busy` is the mean fraction of the rate that other traffic takes: packets of OTHER_BYTES, with
exponential times between them.
"""
from dataclasses import dataclass

from swift_lb.config import InvalidError, boolean, option, options_of, parse_section, speed
from swift_lb.lab import rules

BUFFER = 0.2            # seconds of packets that wait; a further one is dropped
OTHER_BYTES = 1500      # of a packet of other traffic
MOST_BUSY = 0.95
CATCH_UP = 1.0          # seconds without our packets of which other traffic is sent afterwards


def _option(parse):
    """Return `parse`, which raises a ValueError, as a parser of an option."""
    def parse_option(text):
        try:
            return parse(text)
        except ValueError as err:
            raise InvalidError(str(err)) from None
    return parse_option


def _round_trip(text):
    return 0.0 if text == '0' else rules.parse_seconds(text)


def _busy(text):
    value = rules.parse_fraction(text)
    if value > MOST_BUSY:
        raise ValueError(f'must be a fraction of 0 to {MOST_BUSY}')
    return value


@dataclass(frozen=True)
class WanLink:
    """How both directions of a link delay and lose packets."""

    rtt: float = option(0.0, _option(_round_trip), 'seconds', 'round trip of an empty link')
    rate: float | None = option(None, speed, 'bits/s', 'of each direction; nothing is no limit')
    loss: float = option(0.0, _option(rules.parse_fraction), '', 'fraction of packets lost')
    busy: float = option(0.0, _option(_busy), '', 'fraction of the rate that other traffic takes')
    down: bool = option(False, boolean, '', 'loses every packet')


OPTIONS = options_of(WanLink)


def parse(words, where, faults):
    """Return {option of a WanLink: value} of `words`, {name: text}.

    Appends a sentence for each fault to the list `faults`; each begins with `where`.
    """
    return parse_section(words, OPTIONS, where, faults, is_ignored=lambda _name: False)


class Direction:
    """One direction of a link; its attribute `link`, a WanLink, may be replaced at any time."""

    def __init__(self, link, rng):
        """Take the WanLink and a random.Random, which draws losses and other traffic."""
        self.link, self._rng = link, rng
        self.packets = self.bytes = self.lost = self.dropped = 0    # dropped: the queue was full
        self._free = self._other = float('-inf')    # the line is free; the next other packet

    def arrival(self, size, now):
        """Return when a packet of `size` bytes, sent at `now`, arrives; None if it never does.

        Times are monotonic seconds. Counts the packet in `packets` and `bytes`, or in `lost` or
        `dropped`.
        """
        link = self.link
        if link.down or (link.loss and self._rng.random() < link.loss):
            self.lost += 1
            return None
        sent = now
        if link.rate:
            self._send_other_traffic(now)
            start = max(now, self._free)
            if start - now > BUFFER:
                self.dropped += 1
                return None
            sent = self._free = start + 8 * size / link.rate
        self.packets += 1
        self.bytes += size
        return sent + link.rtt / 2

    def _send_other_traffic(self, now):
        """Put the packets of other traffic that were due up to `now` on the line."""
        link = self.link
        if not link.busy:
            self._other = now
            return
        seconds = 8 * OTHER_BYTES / link.rate
        self._other = max(self._other, now - CATCH_UP)
        while self._other <= now:
            start = max(self._other, self._free)
            if start - self._other <= BUFFER:
                self._free = start + seconds
            self._other += self._rng.expovariate(link.busy / seconds)
