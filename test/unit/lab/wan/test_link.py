"""When packets of a link arrive, and which are lost."""
import random

import pytest

from swift_lb.lab.wan.link import BUFFER, Direction, WanLink, parse


def direction(**options):
    """Return a Direction of a WanLink with `options`."""
    return Direction(WanLink(**options), random.Random(1))


def test_a_packet_takes_half_the_round_trip():
    assert direction(rtt=0.08).arrival(1500, 5.0) == pytest.approx(5.04)


def test_packets_wait_for_the_line():
    line = direction(rtt=0.08, rate=12e6)       # a packet of 1500 bytes takes 1 ms
    assert [line.arrival(1500, 5.0) for _packet in range(3)] == pytest.approx(
        [5.041, 5.042, 5.043])
    assert line.arrival(1500, 6.0) == pytest.approx(6.041)


def test_packets_over_the_buffer_are_dropped_until_the_line_has_sent_some():
    line = direction(rate=12e6)
    arrivals = [line.arrival(1500, 0.0) for _packet in range(300)]
    passed = [arrival for arrival in arrivals if arrival is not None]
    assert passed[-1] == pytest.approx(BUFFER, abs=0.0011)
    assert (len(passed), line.dropped) == (line.packets, 300 - line.packets)
    assert line.arrival(1500, 0.1) is not None


def test_a_link_that_is_down_loses_every_packet_and_carries_the_next_when_up():
    line = direction(down=True)
    assert line.arrival(100, 0.0) is None
    line.link = WanLink()
    assert line.arrival(100, 1.0) == 1.0
    assert (line.packets, line.bytes, line.lost) == (1, 100, 1)


def test_the_fraction_loss_of_packets_is_lost():
    line = direction(loss=0.3)
    for number in range(10000):
        line.arrival(100, float(number))
    assert line.lost / 10000 == pytest.approx(0.3, abs=0.02)


@pytest.mark.parametrize('busy', [0.25, 0.5, 0.9])
def test_other_traffic_takes_its_fraction_of_the_rate(busy):
    line = direction(rate=12e6, busy=busy)
    now = carried = 0.0
    while now < 30.0:
        arrival = line.arrival(1500, now)
        if arrival is None:
            now += 0.01
        else:
            carried += 1500 * 8
            now = max(now, arrival - BUFFER / 2)
    assert carried / 30.0 / 12e6 == pytest.approx(1 - busy, abs=0.05)


def test_an_idle_busy_link_makes_up_for_a_second_of_other_traffic_at_most():
    line = direction(rate=12e6, busy=0.5)
    assert line.arrival(1500, 1e6) - 1e6 < 0.1


def test_words_of_a_link_are_parsed_and_each_fault_is_reported():
    faults = []
    assert {'rtt': 0.08, 'rate': 20e6, 'loss': 0.01, 'down': True} == parse(
        {'rtt': '80ms', 'rate': '20M', 'loss': '1%', 'down': 'yes'}, 'x', faults)
    assert not faults
    parse({'rtt': '-1', 'rate': 'fast', 'loss': '2', 'busy': '99%', 'speed': '1'}, 'x', faults)
    assert ['x, rtt', 'x, rate', 'x, loss', 'x, busy', 'x, speed'] == [
        fault.partition(' =')[0] for fault in faults]
