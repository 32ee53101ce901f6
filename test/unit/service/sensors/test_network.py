"""Utilisation of the busiest interface: what is counted, over what speed, and what is unknown."""
import socket

import pytest

from swift_lb import clock
from swift_lb.errors import ConfigError
from swift_lb.service.sensors.learnt_speed import RUN, SPELLS
from swift_lb.service.sensors.network import LOOK, Network

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


def test_full_duplex_is_the_busier_way(net):
    net.add('eth0', 'device')
    assert 0.5 == known(net, {'eth0': (SECOND // 2, SECOND // 4)})
    assert 0.75 == known(net, {'eth0': (SECOND, SECOND)})


def test_half_duplex_is_both_ways_together(net):
    net.add('eth0', 'device', duplex='half')
    assert 0.75 == known(net, {'eth0': (SECOND // 2, SECOND // 4)})


def test_it_is_a_rate(net):
    net.add('eth0', 'device')
    sensor = Network(root=net.root)
    sensor.read(0.0)
    net.count('eth0', SECOND, 0)
    assert 0.25 == sensor.read(4.0)


def test_an_idle_link_of_known_speed_is_0(net):
    net.add('eth0', 'device')
    assert 0.0 == known(net, {})


def test_the_busiest_interface_is_what_counts(net):
    net.add('eth0', 'device')
    net.add('eth1', 'device', speed=10000)
    assert 0.2 == known(net, {'eth0': (SECOND // 5, 0), 'eth1': (0, SECOND)})


def test_veth_bridge_and_vlan_are_ignored(net):
    net.add('eth0', 'device')
    net.add('veth1', speed=10)
    net.add('br0', 'bridge', speed=10)
    net.add('eth0.5', speed=10)
    counts = dict.fromkeys(('veth1', 'br0', 'eth0.5'), (SECOND, SECOND))
    assert 0.5 == known(net, counts | {'eth0': (SECOND // 2, 0)})


def test_a_bond_is_of_the_speed_that_the_kernel_says_and_its_slaves_are_not_counted(net):
    net.add('bond0', 'bonding', speed=2000)
    net.add('eth0', 'device', master='bond0')
    net.add('eth1', 'device', master='bond0')
    counts = {'bond0': (SECOND, 0), 'eth0': (SECOND, 0), 'eth1': (0, 0)}
    assert 0.5 == known(net, counts)


@pytest.mark.parametrize('speed', [-1, 0, None])
def test_a_link_of_unknown_speed_is_unknown_and_never_0(net, speed):
    net.add('eth0', 'device', speed=speed)
    assert 'how fast' in unknown(net, {})
    assert 'eth0' in unknown(net, {'eth0': (SECOND, 0)})


def test_a_configured_speed_is_taken_where_the_kernel_says_none(net):
    net.add('eth0', 'device', speed=-1)
    assert 0.5 == known(net, {'eth0': (SECOND, 0)}, speed=2e9)
    assert 0.75 == known(net, {'eth0': (4 * SECOND, 0)}, speeds={'eth0': 4e9})


def test_one_for_all_does_not_override_the_kernel_and_one_by_name_does(net):
    net.add('eth0', 'device', speed=1000)
    assert 0.5 == known(net, {'eth0': (SECOND // 2, 0)}, speed=4e9)
    assert 0.125 == known(net, {'eth0': (SECOND, 0)}, speeds={'eth0': 4e9})


def test_an_interface_of_unknown_speed_is_left_out_while_it_is_idle_and_not_when_busy(net):
    net.add('eth0', 'device')
    net.add('eth1', 'device', speed=-1)
    assert 0.5 == known(net, {'eth0': (SECOND // 2, 0), 'eth1': (125_000, 0)})     # 1 Mbit/s
    assert 'eth1' in unknown(net, {'eth0': (SECOND, 0), 'eth1': (260_000, 0)})


def test_a_speed_is_learnt_from_a_link_at_its_limit_and_kept_over_a_look(net):
    net.add('eth0', 'device', speed=-1)
    sensor, sent, told = Network(root=net.root), 0, []
    spell, lull = [1.0] * (RUN + 1), [0.125] * int(LOOK + 1)
    unknown_for = 1 + len(spell + lull) * (SPELLS - 1) + RUN
    for now, rate in enumerate([0.0, *(spell + lull) * SPELLS, 0.5]):
        sent += int(rate * SECOND)
        net.count('eth0', 0, sent)
        told.append(sensor.read(float(now)))
    assert {None} == set(told[:unknown_for])
    assert [1.0, *lull, 0.5] == told[unknown_for:]


def test_a_link_faster_than_it_is_said_to_be_is_unknown(net):
    net.add('eth0', 'device', speed=10)
    assert 'eth0 is faster' in unknown(net, {'eth0': (SECOND, 0)})


def test_a_counter_that_wraps_is_unknown_once(net):
    net.add('eth0', 'device')
    net.count('eth0', (1 << 32) - 100, 0)
    sensor = Network(root=net.root)
    sensor.read(0.0)
    net.count('eth0', 100, 0)
    assert sensor.read(1.0) is None
    net.count('eth0', 100 + SECOND // 2, 0)
    assert 0.5 == sensor.read(2.0)


def test_new_interfaces_are_looked_for_every_minute(net):
    net.add('eth0', 'device')
    sensor = Network(root=net.root)
    assert [None, 0.0] == [sensor.read(now) for now in (0.0, 1.0)]
    net.add('eth1', 'device')
    assert 0.0 == sensor.read(LOOK - 1)
    assert sensor.read(LOOK) is None        # it is new
    net.count('eth1', SECOND, 0)
    assert 1.0 == sensor.read(LOOK + 1)


def test_an_interface_that_goes_is_unknown_once_and_then_forgotten(net):
    net.add('eth0', 'device')
    net.add('eth1', 'device')
    sensor = Network(root=net.root)
    sensor.read(0.0)
    (net.root / 'eth1').rename(net.root.parent / 'gone')
    assert [None, 0.0] == [sensor.read(now) for now in (1.0, 2.0)]


def test_without_an_interface_it_is_unknown(net):
    net.add('lo', speed=None)
    assert 'interfaces' in unknown(net, {'lo': (SECOND, SECOND)})


def test_without_a_sys_it_is_unknown(tmp_path):
    sensor = Network(root=tmp_path / 'none')
    assert sensor.read(0.0) is None
    assert 'FileNotFoundError' in sensor.fault


def test_interfaces_can_be_named(net):
    net.add('eth0', 'device')
    net.add('veth1', speed=10000)
    counts = {'eth0': (SECOND, 0), 'veth1': (SECOND, 0)}
    assert 0.1 == known(net, counts, interfaces=['veth1'])


def test_one_that_is_named_and_not_there_is_unknown(net):
    net.add('eth0', 'device')
    assert 'eth9' in unknown(net, {}, interfaces=('eth0', 'eth9'))


def test_this_machine_by_its_loopback():
    sensor = Network(interfaces=['lo'], speeds={'lo': 1e12})
    assert sensor.read(clock.monotonic()) is None
    with socket.socket(type=socket.SOCK_DGRAM) as end:
        end.bind(('127.0.0.1', 0))
        for _ in range(1000):
            end.sendto(bytes(1000), end.getsockname())
    assert 0 < sensor.read(clock.monotonic()) <= 1


@pytest.mark.parametrize('options', [
    {'interfaces': 'eth0'}, {'interfaces': ['../eth0']}, {'interfaces': ['..']},
    {'interfaces': ['']}, {'interfaces': [3]}, {'interfaces': ['eth0 ']},
    {'speed': 0}, {'speed': -1}, {'speed': float('nan')}, {'speed': '10G'}, {'speed': True},
    {'speeds': {'eth0': 0}}, {'speeds': {'a/b': 1e9}}, {'speeds': ['eth0']}, {'speeds': 1e9}])
def test_a_bad_option_is_refused(options):
    with pytest.raises(ConfigError, match=next(iter(options))):
        Network(**options)


def test_every_bad_option_is_named():
    with pytest.raises(ConfigError) as err:
        Network(interfaces='eth0', speeds=3, speed=-1)
    assert 3 == len(err.value.faults)
