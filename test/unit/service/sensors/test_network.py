"""Utilisation of the busiest interface, physical interfaces, and the speed that is learnt."""
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


def reading(net, counts, **options):
    """Return (the second reading, why it is unknown): {name: (received, sent)} in one second."""
    sensor = Network(root=net.root, **options)
    assert sensor.read(100.0) is None
    for name, both in counts.items():
        net.count(name, *both)
    return sensor.read(101.0), sensor.fault


def known(net, counts, **options):
    value, fault = reading(net, counts, **options)
    assert fault is None
    return value


def unknown(net, counts, **options):
    value, fault = reading(net, counts, **options)
    assert value is None
    return fault


def test_full_duplex_counts_the_busier_direction(net):
    net.add('eth0', 'device')
    assert 0.5 == known(net, {'eth0': (SECOND // 2, SECOND // 4)})
    assert 0.75 == known(net, {'eth0': (SECOND, SECOND)})


def test_half_duplex_counts_both_directions(net):
    net.add('eth0', 'device', duplex='half')
    assert 0.75 == known(net, {'eth0': (SECOND // 2, SECOND // 4)})


def test_utilisation_is_a_rate(net):
    net.add('eth0', 'device')
    sensor = Network(root=net.root)
    sensor.read(0.0)
    net.count('eth0', SECOND, 0)
    assert 0.25 == sensor.read(4.0)


def test_idle_link_of_known_speed_is_0(net):
    net.add('eth0', 'device')
    assert 0.0 == known(net, {})


def test_busiest_interface_counts(net):
    net.add('eth0', 'device')
    net.add('eth1', 'device', speed=10000)
    assert 0.2 == known(net, {'eth0': (SECOND // 5, 0), 'eth1': (0, SECOND)})


@pytest.mark.parametrize('speed', [-1, 0, None])
def test_link_of_unknown_speed_is_unknown_not_0(net, speed):
    net.add('eth0', 'device', speed=speed)
    assert 'speed' in unknown(net, {})
    assert 'eth0' in unknown(net, {'eth0': (SECOND, 0)})


def test_configured_speed_is_used_if_the_kernel_has_none(net):
    net.add('eth0', 'device', speed=-1)
    assert 0.5 == known(net, {'eth0': (SECOND, 0)}, speed=2e9)
    assert 0.75 == known(net, {'eth0': (4 * SECOND, 0)}, speeds={'eth0': 4e9})


def test_only_a_speed_by_name_overrides_the_kernels(net):
    net.add('eth0', 'device', speed=1000)
    assert 0.5 == known(net, {'eth0': (SECOND // 2, 0)}, speed=4e9)
    assert 0.125 == known(net, {'eth0': (SECOND, 0)}, speeds={'eth0': 4e9})


def test_idle_link_of_unknown_speed_is_left_out(net):
    net.add('eth0', 'device')
    net.add('eth1', 'device', speed=-1)
    assert 0.5 == known(net, {'eth0': (SECOND // 2, 0), 'eth1': (125_000, 0)})     # 1 Mbit/s
    assert 'eth1' in unknown(net, {'eth0': (SECOND, 0), 'eth1': (260_000, 0)})


def test_speed_is_learnt_at_the_limit_and_kept(net):
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


def test_link_faster_than_its_speed_is_unknown(net):
    net.add('eth0', 'device', speed=10)
    assert 'eth0 is faster' in unknown(net, {'eth0': (SECOND, 0)})


def test_counter_that_wraps_is_unknown_once(net):
    net.add('eth0', 'device')
    net.count('eth0', (1 << 32) - 100, 0)
    sensor = Network(root=net.root)
    sensor.read(0.0)
    net.count('eth0', 100, 0)
    assert sensor.read(1.0) is None
    net.count('eth0', 100 + SECOND // 2, 0)
    assert 0.5 == sensor.read(2.0)


def test_new_interfaces_are_found_every_minute(net):
    net.add('eth0', 'device')
    sensor = Network(root=net.root)
    assert [None, 0.0] == [sensor.read(now) for now in (0.0, 1.0)]
    net.add('eth1', 'device')
    assert 0.0 == sensor.read(SEARCH_INTERVAL - 1)
    assert sensor.read(SEARCH_INTERVAL) is None        # it is new
    net.count('eth1', SECOND, 0)
    assert 1.0 == sensor.read(SEARCH_INTERVAL + 1)


def test_removed_interface_is_unknown_once(net):
    net.add('eth0', 'device')
    net.add('eth1', 'device')
    sensor = Network(root=net.root)
    sensor.read(0.0)
    (net.root / 'eth1').rename(net.root.parent / 'gone')
    assert [None, 0.0] == [sensor.read(now) for now in (1.0, 2.0)]


def test_unknown_without_an_interface(net):
    net.add('lo', speed=None)
    assert 'interfaces' in unknown(net, {'lo': (SECOND, SECOND)})


def test_unknown_without_sys(tmp_path):
    sensor = Network(root=tmp_path / 'none')
    assert sensor.read(0.0) is None
    assert 'FileNotFoundError' in sensor.fault


def test_interfaces_can_be_named(net):
    net.add('eth0', 'device')
    net.add('veth1', speed=10000)
    counts = {'eth0': (SECOND, 0), 'veth1': (SECOND, 0)}
    assert 0.1 == known(net, counts, interfaces=['veth1'])


def test_named_interface_that_is_absent_is_unknown(net):
    net.add('eth0', 'device')
    assert 'eth9' in unknown(net, {}, interfaces=('eth0', 'eth9'))


def test_this_machines_loopback():
    sensor = Network(interfaces=['lo'], speeds={'lo': 1e12})
    assert sensor.read(clock.monotonic()) is None
    with socket.socket(type=socket.SOCK_DGRAM) as end:
        end.bind(('127.0.0.1', 0))
        for _ in range(1000):
            end.sendto(bytes(1000), end.getsockname())
    assert 0 < sensor.read(clock.monotonic()) <= 1


def test_physical_interfaces_are_hardware(net):
    net.add('eth0', 'device')
    net.add('ens3', 'device')       # virtio has a device too
    net.add('lo', speed=None)
    net.add('veth1a2b', speed=10000)
    net.add('docker0', 'bridge', speed=10000)
    net.add('tap0', speed=10)
    net.add('dummy0', speed=None)
    net.add('eth0.5', 'lower_eth0')     # a VLAN: its bytes are eth0's
    assert ['ens3', 'eth0'] == interfaces.physical(net.root)


def test_bond_is_physical_and_its_slaves_are_not(net):
    net.add('bond0', 'bonding', speed=2000)
    net.add('eth0', 'device', master='bond0')
    net.add('eth1', 'device', master='bond0')
    net.add('bond0.7', 'lower_bond0')
    assert ['bond0'] == interfaces.physical(net.root)


def test_port_of_a_bridge_is_physical(net):
    net.add('br0', 'bridge')
    net.add('eth0', 'device', 'brport', master='br0')
    net.add('vnet3', 'brport', master='br0')
    assert ['eth0'] == interfaces.physical(net.root)


def test_bond_that_is_port_of_a_bridge_is_physical(net):
    net.add('br0', 'bridge')
    net.add('bond0', 'bonding', master='br0')
    net.add('eth0', 'device', master='bond0')
    assert ['bond0'] == interfaces.physical(net.root)


@pytest.mark.parametrize('carrier', ['0', None])
def test_interface_without_a_carrier_is_left_out(net, carrier):
    net.add('eth0', 'device', carrier=carrier)
    assert [] == interfaces.physical(net.root)


@pytest.mark.parametrize(('text', 'expected'), [
    (1000, 1e9), (100000, 1e11), (-1, None), (0, None), (None, None), ('', None),
    (65535, None), (4294967295, None)])     # -1 of old kernels
def test_speed_of_the_kernel(net, text, expected):
    net.add('eth0', 'device', speed=text)
    assert expected == interfaces.speed('eth0', net.root)


@pytest.mark.parametrize(('text', 'expected'), [
    ('half', True), ('full', False), ('unknown', False), (None, False)])
def test_duplex_of_the_kernel(net, text, expected):
    net.add('eth0', 'device', duplex=text)
    assert expected is interfaces.is_half_duplex('eth0', net.root)


def test_byte_counters(net):
    net.add('eth0', 'device')
    net.count('eth0', 1 << 63, 22)
    assert [1 << 63, 22] == [interfaces.count('eth0', way, net.root) for way in ('rx', 'tx')]
    with pytest.raises(OSError, match='eth1'):
        interfaces.count('eth1', 'rx', net.root)


def test_this_machines_interfaces():
    found = interfaces.physical()
    assert 'lo' not in found
    assert set(found) <= set(os.listdir('/sys/class/net'))
    assert all(os.path.exists(f'/sys/class/net/{name}/device')
               or os.path.exists(f'/sys/class/net/{name}/bonding') for name in found)


GIGABIT = 1e9
SPELL = [GIGABIT] * (RUN + 1)       # the first reading is the lesser of itself and the one before
LULL = [0.1 * GIGABIT] * 2


def learnt(*rates):
    speed = LearntSpeed()
    for rate in rates:
        speed.see(rate)
    return speed.speed


def test_speed_of_an_idle_link_is_not_learnt():
    assert learnt() is None
    assert learnt(*[0.0] * 1000) is None


def test_speed_is_learnt_after_the_last_spell():
    spells = (SPELL + LULL) * (SPELLS - 1) + SPELL
    assert GIGABIT == learnt(*spells)
    assert learnt(*spells[:-1]) is None


def test_one_long_spell_is_not_enough():
    assert learnt(*SPELL * 100) is None


def test_dip_does_not_end_a_spell():
    dip = [0.9 * GIGABIT] * 2
    assert learnt(*(SPELL + dip) * 10) is None


def test_short_spells_do_not_count():
    assert learnt(*(SPELL[:RUN] + LULL) * 100) is None


def test_interrupted_runs_do_not_count():
    broken = [GIGABIT] * RUN + [0.9 * GIGABIT]
    assert learnt(*(broken * 3 + LULL) * 100) is None


def test_readings_at_the_limit_may_differ_slightly():
    rng = random.Random(7)
    rates = [rate * rng.uniform(0.97, 1.0) for rate in (SPELL + LULL) * 20]
    assert pytest.approx(GIGABIT, rel=0.03) == learnt(*rates)


def test_varying_rates_are_no_limit():
    rng = random.Random(7)
    assert learnt(*(rng.uniform(0, GIGABIT) for _ in range(20000))) is None


def test_greater_rate_starts_learning_again():
    known = (SPELL + LULL) * SPELLS
    greater = [2 * rate for rate in known]
    assert learnt(*known, *greater[:3]) is None
    assert 2 * GIGABIT == learnt(*known, *greater)


def test_creeping_limit_is_not_learnt():
    rates, rate = [], MIN_SPEED
    while rate < 1000 * MIN_SPEED:
        rates += [rate] * (RUN + 1) + [0.0] * 2
        rate *= 1.04
    assert learnt(*rates) is None


def test_late_reading_does_not_count():
    late = [2 * GIGABIT, 0.0]       # two seconds' worth in one, then nothing left for the next
    assert GIGABIT == learnt(*(SPELL + LULL) * SPELLS, *late)


def test_slow_trickle_is_never_a_limit():
    trickle = [rate * 0.99 * MIN_SPEED / GIGABIT for rate in (SPELL + LULL) * 50]
    assert learnt(*trickle) is None


@pytest.mark.parametrize('text', [
    '../eth0', '..', '.', 'a/b', 'eth0:1', 'a-name-of-16-bytes', 'a\0b'])
def test_wrong_interface_name_is_refused(text):
    for parse, value in ((interface_names, f'eth0, {text}'), (speeds, f'{text}=10G')):
        with pytest.raises(InvalidError, match='must be the name of a network interface'):
            parse(value)


@pytest.mark.parametrize('text', ['eth0', '=10G', 'eth0='])
def test_speed_without_its_interface_is_refused(text):
    with pytest.raises(InvalidError, match='must be INTERFACE=SPEED, such as eth0=10G'):
        speeds(text)


def test_speeds_by_interface():
    assert {'eth0': 1e10, 'eth1': 1e8} == speeds('eth0=10G, eth1=100M')
