"""The bandwidth of a link, from the second half of bodies that come as quickly as it allows."""
import pytest

from swift_lb.dispatch.cost import WARM, WINDOW, Way, seconds_to_send
from swift_lb.model import ClusterLink
from swift_lb.proxy.dispatch.body_rate import SMALLEST, measured, smallest

RATE, PIECE = 2.5e6, 16_384


class Link:
    """A body that comes over a link in virtual time, and a client that takes the pieces."""

    def __init__(self, size, rtt, client=0.0, warm=False):
        """`client` is the seconds that the client takes for each piece."""
        self.size, self.rtt, self._client, self._warm = size, rtt, client, warm
        self.now, self.samples = 0.0, []

    def _arrival(self, sent):
        return seconds_to_send(sent, Way(self.rtt, RATE), WARM if self._warm else WINDOW)

    def _pieces(self):
        for begin in range(0, self.size, PIECE):
            end = min(self.size, begin + PIECE)
            self.now = max(self.now, self._arrival(end))
            yield bytes(end - begin)

    def samples_of(self, rtt=None):
        """Return the samples (bytes, seconds) of a body that is read to its end."""
        for _piece in measured(self._pieces(), self.size, self.rtt if rtt is None else rtt,
                               lambda: self.now, lambda *one: self.samples.append(one)):
            self.now += self._client
        return self.samples


@pytest.mark.parametrize('rtt', [0.0, 0.001, 0.02, 0.08])
@pytest.mark.parametrize('warm', [False, True])
def test_a_large_body_shows_the_bandwidth_of_the_link(rtt, warm):
    (count, seconds), = Link(1_500_000, rtt, warm=warm).samples_of()
    assert pytest.approx(RATE, rel=0.05) == count / seconds


def test_a_body_that_ends_in_slow_start_shows_nothing():
    for size in range(1 << 16, 300_000, 10_000):
        for count, seconds in Link(size, 0.08).samples_of():
            assert count / seconds > 0.8 * RATE
    assert [] == Link(100_000, 0.08).samples_of()
    assert WINDOW < 1 << 16


@pytest.mark.parametrize(('rtt', 'bandwidth', 'size'), [
    (0.08, None, SMALLEST), (0.001, 1e6, SMALLEST), (0.03, 12e6, 1_800_000)])
def test_a_body_that_is_too_short_for_the_bandwidth_that_is_forecast_shows_nothing(
        rtt, bandwidth, size):
    assert size == pytest.approx(smallest(ClusterLink('ucsb', rtt, 0.0, 0.0, bandwidth, 0.0)))


def test_a_slow_client_is_no_slow_link():
    assert [] == Link(1_500_000, 0.02, client=0.1).samples_of()
    assert 1 == len(Link(1_500_000, 0.02, client=0.003).samples_of())


def test_a_body_that_breaks_off_or_is_left_shows_nothing():
    link = Link(1_500_000, 0.02)
    pieces = measured(link._pieces(), link.size, 0.02, lambda: link.now, link.samples.append)
    next(pieces)
    pieces.close()
    assert [] == [*measured(iter(()), 100_000, 0.02, lambda: 0.0, link.samples.append)]
    assert [] == link.samples
