"""A million datagrams made without the key from recorded ones: none is accepted."""
import random

import pytest
from support.reports import INTERVAL

from swift_lb.model import Report
from swift_lb.service.inbox import FORGED, Inbox
from swift_lb.service.neighbours import Neighbours
from swift_lb.wire import node_report, signature

KEYS = (b'a key that all nodes have', b'the next one of these')
WALL, EACH = 1_700_000_000.0, 125_000


def recorded(chance):
    """Return signed datagrams of a few nodes, with either key."""
    results = []
    for number in range(12):
        report = Report(f'node-{number}', 7, number, WALL, INTERVAL, {
            name: chance.random() for name in ('cpu', 'memory', 'in_flight')[:1 + number % 3]})
        neighbours = [node_report.Neighbour(f'node-{one}', f'10.0.0.{one + 1}', 6208)
                      for one in range(number % 4)]
        results.append(signature.sign(KEYS[number % 2], node_report.encode(report, neighbours)))
    return results


def flipped(data, _other, chance):
    """Change one bit."""
    place, bit = divmod(chance(len(data) * 8), 8)
    return data[:place] + bytes((data[place] ^ 1 << bit,)) + data[place + 1:]


def cut(data, _other, chance):
    """Leave the end out."""
    return data[:chance(len(data))]


def headless(data, _other, chance):
    """Leave something out after the magic."""
    begin = len(signature.MAGIC) + chance(60)
    return data[:begin] + data[begin + 1 + chance(20):]


def spliced(data, other, chance):
    """Put the end of another one behind the beginning of one."""
    place = chance(min(len(data), len(other)))
    return data[:place] + other[place:]


def resigned(data, other, _chance):
    """Put the signature of one before the payload of another."""
    begin = len(signature.MAGIC) + signature.LENGTH
    return data[:begin] + other[begin:]


def extended(data, other, chance):
    """Put something behind it."""
    return data + other[:1 + chance(300)]


MUTATIONS = (flipped, cut, headless, spliced, resigned, extended)


@pytest.mark.parametrize('seed', range(8))
def test_no_mutated_report_is_accepted(seed):
    chance = random.Random(seed)
    originals = recorded(chance)
    whole, most = set(originals), len(originals)
    inbox = Inbox('node-0', KEYS, Neighbours('node-0'))
    below, hear = (lambda most: int(chance.random() * most)), inbox.receive
    taken, tried = [], 0
    while tried < EACH:
        data, other = originals[below(most)], originals[below(most)]
        for mutation in MUTATIONS:
            forged = mutation(data, other, below)
            if forged not in whole:
                tried += 1
                if hear(forged, ('10.0.0.9', 6208), 0.0, WALL):
                    taken.append(forged)
    assert taken == []
    assert inbox.refused == {FORGED: tried}
    assert inbox.reports == {}
    accepted = [inbox.receive(data, ('10.0.0.9', 6208), 0.0, WALL) for data in originals]
    assert accepted == [False] + [True] * 11     # node-0's is our own name
