"""Which interfaces count, in a /sys made of files and in this machine's own."""
import os

import pytest

from swift_lb.service.sensors import interfaces


def test_hardware_counts_and_what_is_virtual_does_not(net):
    net.add('eth0', 'device')
    net.add('ens3', 'device')       # virtio has a device too
    net.add('lo', speed=None)
    net.add('veth1a2b', speed=10000)
    net.add('docker0', 'bridge', speed=10000)
    net.add('tap0', speed=10)
    net.add('dummy0', speed=None)
    net.add('eth0.5', 'lower_eth0')     # a VLAN: its bytes are eth0's
    assert ['ens3', 'eth0'] == interfaces.real(net.root)


def test_a_bond_counts_and_its_slaves_do_not(net):
    net.add('bond0', 'bonding', speed=2000)
    net.add('eth0', 'device', master='bond0')
    net.add('eth1', 'device', master='bond0')
    net.add('bond0.7', 'lower_bond0')
    assert ['bond0'] == interfaces.real(net.root)


def test_the_port_of_a_bridge_counts_for_the_bridge_does_not(net):
    net.add('br0', 'bridge')
    net.add('eth0', 'device', 'brport', master='br0')
    net.add('vnet3', 'brport', master='br0')
    assert ['eth0'] == interfaces.real(net.root)


def test_a_bond_that_is_the_port_of_a_bridge_counts(net):
    net.add('br0', 'bridge')
    net.add('bond0', 'bonding', master='br0')
    net.add('eth0', 'device', master='bond0')
    assert ['bond0'] == interfaces.real(net.root)


@pytest.mark.parametrize('carrier', ['0', None])
def test_one_without_a_carrier_does_not_count(net, carrier):
    net.add('eth0', 'device', carrier=carrier)
    assert [] == interfaces.real(net.root)


@pytest.mark.parametrize(('told', 'expected'), [
    (1000, 1e9), (100000, 1e11), (-1, None), (0, None), (None, None), ('', None),
    (65535, None), (4294967295, None)])     # -1 of old kernels
def test_the_speed_that_the_kernel_says(net, told, expected):
    net.add('eth0', 'device', speed=told)
    assert expected == interfaces.speed('eth0', net.root)


@pytest.mark.parametrize(('told', 'expected'), [
    ('half', True), ('full', False), ('unknown', False), (None, False)])
def test_what_does_not_say_that_it_is_half_duplex_is_not(net, told, expected):
    net.add('eth0', 'device', duplex=told)
    assert expected is interfaces.is_half_duplex('eth0', net.root)


def test_counters(net):
    net.add('eth0', 'device')
    net.count('eth0', 1 << 63, 22)
    assert [1 << 63, 22] == [interfaces.count('eth0', way, net.root) for way in ('rx', 'tx')]
    with pytest.raises(OSError, match='eth1'):
        interfaces.count('eth1', 'rx', net.root)


def test_this_machine():
    found = interfaces.real()
    assert 'lo' not in found
    assert set(found) <= set(os.listdir('/sys/class/net'))
    assert all(os.path.exists(f'/sys/class/net/{name}/device')
               or os.path.exists(f'/sys/class/net/{name}/bonding') for name in found)
