"""The network sensor: use of the busiest interface, which ones it reads, speeds that it learns."""
import os
import random
import socket

import pytest

from swift_lb import clock
from swift_lb.config import InvalidError
from swift_lb.service.sensors import interfaces
from swift_lb.service.sensors.network import (
    MIN_SPEED,
    RUN,
    SEARCH_INTERVAL,
    SPELLS,
    LearntSpeed,
    Network,
    interface_names,
    speeds,
)

SECOND = 125_000_000        # bytes that a link of 1 Gbit/s carries
HALF = SECOND // 2


def add_all(net, links):
    """Add interfaces to a Net; `links` is {name: (marks, other arguments of Net.add)}."""
    for name, (marks, facts) in links.items():
        net.add(name, *marks, **facts)


def link(*marks, **facts):
    """Return (marks, other arguments of Net.add) of a physical interface, for add_all."""
    return ('device', *marks), facts


@pytest.mark.parametrize(('links', 'counts', 'options', 'expected'), [
    ({'eth0': link()}, {}, {}, 0.0),
    ({'eth0': link()}, {'eth0': (HALF, SECOND // 4)}, {}, 0.5),
    ({'eth0': link()}, {'eth0': (SECOND, SECOND)}, {}, 1.0),
    ({'eth0': link(duplex='half')}, {'eth0': (HALF, SECOND // 4)}, {}, 0.75),
    # the busiest of several; virtual ones are only measured if they are named
    ({'eth0': link(), 'eth1': link(speed=10000)},
     {'eth0': (SECOND // 5, 0), 'eth1': (0, SECOND)}, {}, 0.2),
    ({'eth0': link(), 'veth1': ((), {'speed': 10000})},
     {'eth0': (SECOND // 5, 0), 'veth1': (SECOND, 0)}, {}, 0.2),
    ({'eth0': link(), 'veth1': ((), {'speed': 10000})},
     {'eth0': (SECOND, 0), 'veth1': (SECOND, 0)}, {'interfaces': ['veth1']}, 0.1),
    # `speed` is used if the kernel has none, `speeds` override the kernel's
    ({'eth0': link(speed=-1)}, {'eth0': (SECOND, 0)}, {'speed': 2e9}, 0.5),
    ({'eth0': link()}, {'eth0': (HALF, 0)}, {'speed': 4e9}, 0.5),
    ({'eth0': link()}, {'eth0': (SECOND, 0)}, {'speeds': {'eth0': 4e9}}, 0.25),
    # an interface of unknown speed is left out while it carries at most 1 Mbit/s
    ({'eth0': link(), 'eth1': link(speed=-1)}, {'eth0': (HALF, 0), 'eth1': (125_000, 0)}, {}, 0.5),
    ({'eth0': link(), 'eth1': link(speed=-1)}, {'eth0': (HALF, 0), 'eth1': (260_000, 0)}, {},
     'the speed of eth1'),
    *(({'eth0': link(speed=speed)}, counts, {}, fault) for speed in (-1, 0, None)
      for counts, fault in (({}, 'set its speed'), ({'eth0': (SECOND, 0)}, 'the speed of eth0'))),
    ({'eth0': link(speed=10)}, {'eth0': (SECOND, 0)}, {}, 'eth0 is faster'),
    ({'lo': ((), {'speed': None})}, {'lo': (SECOND, SECOND)}, {}, 'set interfaces'),
    ({'eth0': link()}, {}, {'interfaces': ('eth0', 'eth9')}, 'eth9'),
])
def test_utilisation_is_a_fraction_or_unknown_with_a_reason(net, links, counts, options, expected):
    """`expected` is a fraction, or a part of the reason for which it is unknown."""
    add_all(net, links)
    sensor = Network(root=net.root, **options)
    assert sensor.read(100.0) is None
    for name, both in counts.items():
        net.count(name, *both)
    value = sensor.read(101.0)
    if isinstance(expected, str):
        assert value is None
        assert expected in sensor.fault
    else:
        assert value == pytest.approx(expected)


def test_utilisation_is_the_rate_of_bytes_divided_by_the_speed(net):
    net.add('eth0', 'device')
    sensor = Network(root=net.root)
    sensor.read(0.0)
    net.count('eth0', SECOND, 0)
    assert 0.25 == sensor.read(4.0)


def test_utilisation_is_unknown_until_a_link_speed_is_learnt(net):
    net.add('eth0', 'device', speed=-1)
    sensor, sent, readings = Network(root=net.root), 0, []
    spell, lull = [1.0] * (RUN + 1), [0.125] * int(SEARCH_INTERVAL + 1)
    unknown_for = 1 + len(spell + lull) * (SPELLS - 1) + RUN
    for now, rate in enumerate([0.0, *(spell + lull) * SPELLS, 0.5]):
        sent += int(rate * SECOND)
        net.count('eth0', 0, sent)
        readings.append(sensor.read(float(now)))
    assert {None} == set(readings[:unknown_for])
    assert [1.0, *lull, 0.5] == readings[unknown_for:]


def test_a_byte_counter_that_wraps_makes_one_reading_unknown(net):
    net.add('eth0', 'device')
    net.count('eth0', (1 << 32) - 100, 0)
    sensor = Network(root=net.root)
    sensor.read(0.0)
    net.count('eth0', 100, 0)
    assert sensor.read(1.0) is None
    net.count('eth0', 100 + HALF, 0)
    assert 0.5 == sensor.read(2.0)


def test_new_interfaces_are_searched_for_every_minute(net):
    net.add('eth0', 'device')
    sensor = Network(root=net.root)
    assert [None, 0.0] == [sensor.read(now) for now in (0.0, 1.0)]
    net.add('eth1', 'device')
    assert 0.0 == sensor.read(SEARCH_INTERVAL - 1)
    assert sensor.read(SEARCH_INTERVAL) is None        # it is new
    net.count('eth1', SECOND, 0)
    assert 1.0 == sensor.read(SEARCH_INTERVAL + 1)


def test_a_removed_interface_makes_one_reading_unknown(net):
    add_all(net, {'eth0': link(), 'eth1': link()})
    sensor = Network(root=net.root)
    sensor.read(0.0)
    (net.root / 'eth1').rename(net.root.parent / 'gone')
    assert [None, 0.0] == [sensor.read(now) for now in (1.0, 2.0)]


def test_the_network_sensor_can_read_this_machines_loopback():
    sensor = Network(interfaces=['lo'], speeds={'lo': 1e12})
    assert sensor.read(clock.monotonic()) is None
    with socket.socket(type=socket.SOCK_DGRAM) as end:
        end.bind(('127.0.0.1', 0))
        for _ in range(1000):
            end.sendto(bytes(1000), end.getsockname())
    assert 0 < sensor.read(clock.monotonic()) <= 1


# -- the kernel's interfaces


@pytest.mark.parametrize(('links', 'expected'), [
    ({'eth0': link(), 'ens3': link(), 'lo': ((), {'speed': None}), 'veth1a2b': ((), {}),
      'docker0': (['bridge'], {}), 'tap0': ((), {}), 'dummy0': ((), {}),
      'eth0.5': (['lower_eth0'], {})}, ['ens3', 'eth0']),       # a VLAN's bytes are eth0's
    ({'bond0': (['bonding'], {}), 'eth0': link(master='bond0'), 'eth1': link(master='bond0'),
      'bond0.7': (['lower_bond0'], {})}, ['bond0']),
    ({'br0': (['bridge'], {}), 'eth0': link('brport', master='br0'),
      'vnet3': (['brport'], {'master': 'br0'})}, ['eth0']),
    ({'br0': (['bridge'], {}), 'bond0': (['bonding'], {'master': 'br0'}),
      'eth0': link(master='bond0')}, ['bond0']),
    ({'eth0': link(carrier='0')}, []), ({'eth0': link(carrier=None)}, []),
], ids=['virtual', 'bond', 'bridge', 'bond in a bridge', 'no carrier', 'down'])
def test_only_physical_interfaces_are_measured_by_default(net, links, expected):
    add_all(net, links)
    assert expected == interfaces.physical(net.root)


@pytest.mark.parametrize(('text', 'expected'), [
    (1000, 1e9), (100000, 1e11), (-1, None), (0, None), (None, None), ('', None),
    (65535, None), (4294967295, None)])     # -1 of old kernels
def test_the_kernels_speed_is_read_in_bits_per_second(net, text, expected):
    net.add('eth0', 'device', speed=text)
    assert expected == interfaces.speed('eth0', net.root)


@pytest.mark.parametrize(('text', 'expected'), [
    ('half', True), ('full', False), ('unknown', False), (None, False)])
def test_half_duplex_is_read_from_the_kernel(net, text, expected):
    net.add('eth0', 'device', duplex=text)
    assert expected is interfaces.is_half_duplex('eth0', net.root)


def test_this_machines_network_interfaces_can_be_read():
    names = interfaces.physical()
    assert 'lo' not in names
    assert set(names) <= set(os.listdir('/sys/class/net'))
    assert all(os.path.exists(f'/sys/class/net/{name}/device')
               or os.path.exists(f'/sys/class/net/{name}/bonding') for name in names)


# -- the speed that is learnt

GIGABIT = 1e9
SPELL = [GIGABIT] * (RUN + 1)       # the first reading is the lesser of itself and the one before
LULL, DIP = [0.1 * GIGABIT] * 2, [0.9 * GIGABIT]
KNOWN = (SPELL + LULL) * (SPELLS - 1) + SPELL
GREATER = [2 * rate for rate in KNOWN]
RNG = random.Random(7)


@pytest.mark.parametrize(('rates', 'expected'), {
    'no reading': ([], None),
    'idle': ([0.0] * 1000, None),
    'last spell': (KNOWN, GIGABIT),
    'before the last reading': (KNOWN[:-1], None),
    'one long spell': (SPELL * 100, None),
    'a dip ends no spell': ((SPELL + DIP * 2) * 10, None),
    'short spells': ((SPELL[:RUN] + LULL) * 100, None),
    'interrupted runs': ((([GIGABIT] * RUN + DIP) * 3 + LULL) * 100, None),
    'slightly different': ([rate * RNG.uniform(0.97, 1.0) for rate in (SPELL + LULL) * 20],
                           pytest.approx(GIGABIT, rel=0.03)),
    'varying': ([RNG.uniform(0, GIGABIT) for _ in range(20000)], None),
    'greater': ([*KNOWN, *LULL, *GREATER[:3]], None),
    'greater, again': ([*KNOWN, *LULL, *GREATER], 2 * GIGABIT),
    'creeping': ([rate for step in range(180) for rate in (
        *[MIN_SPEED * 1.04 ** step] * (RUN + 1), 0.0, 0.0)], None),
    'late reading': ([*KNOWN, 2 * GIGABIT, 0.0], GIGABIT),      # of two seconds, and of none
    'slow trickle': ([rate * 0.99 * MIN_SPEED / GIGABIT for rate in (SPELL + LULL) * 50], None),
}.values())
def test_a_link_speed_is_learnt_from_repeated_steady_top_rates(rates, expected):
    speed = LearntSpeed()
    for rate in rates:
        speed.see(rate)
    assert expected == speed.speed


# -- options


@pytest.mark.parametrize('text', [
    '../eth0', '..', '.', 'a/b', 'eth0:1', 'a-name-of-16-bytes', 'a\0b'])
def test_an_impossible_interface_name_is_refused(text):
    for parse, value in ((interface_names, f'eth0, {text}'), (speeds, f'{text}=10G')):
        with pytest.raises(InvalidError, match='must be the name of a network interface'):
            parse(value)


def test_configured_speeds_are_parsed_for_each_interface():
    assert {'eth0': 1e10, 'eth1': 1e8} == speeds('eth0=10G, eth1=100M')
    for text in ('eth0', '=10G', 'eth0='):
        with pytest.raises(InvalidError, match='must be INTERFACE=SPEED, such as eth0=10G'):
            speeds(text)
