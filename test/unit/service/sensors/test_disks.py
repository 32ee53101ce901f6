"""Which disks are below a directory of devices, whatever they are mounted through."""
import os

import pytest

from swift_lb.service.sensors.disks import disks_of


def below(disks, devices='/srv/node'):
    return disks_of(devices, disks.root)


def test_those_that_are_mounted_there_and_no_others(disks):
    disks.add('sda', '8:0')
    disks.add('sdb', '8:16')
    disks.add('sdc', '8:32')
    disks.mount('8:0', '/')
    disks.mount('8:16', '/srv/node/d1')
    disks.mount('8:32', '/srv/nodes/d2')
    assert {'sdb'} == below(disks)
    assert {'sdb', 'sdc'} == below(disks, '/srv')
    assert {'sdc'} == below(disks, '/srv/nodes/d2')
    assert {'sda', 'sdb', 'sdc'} == below(disks, '/')


def test_of_partitions_it_is_the_disk(disks):
    disks.add('sdb', '8:16')
    disks.add('sdb1', '8:17', of='sdb')
    disks.add('sdb2', '8:18', of='sdb')
    disks.mount('8:17', '/srv/node/d1')
    disks.mount('8:18', '/srv/node/d2')
    assert {'sdb'} == below(disks)


def test_of_volumes_it_is_what_they_lie_on(disks):
    disks.add('nvme0n1', '259:0')
    disks.add('nvme0n1p3', '259:3', of='nvme0n1')
    disks.add('sdb', '8:16')
    disks.add('md0', '9:0', hardware=False, slaves=['nvme0n1p3', 'sdb'])
    disks.add('dm-0', '253:0', hardware=False, slaves=['md0'])
    disks.mount('253:0', '/srv/node/d1')
    assert {'nvme0n1', 'sdb'} == below(disks)


def test_of_a_loop_device_it_is_that(disks):
    disks.add('sda', '8:0')
    disks.add('loop0', '7:0', hardware=False)
    disks.mount('7:0', '/srv/node/sdb1')
    assert {'loop0'} == below(disks)


def test_a_mount_point_with_a_space_in_it(disks):
    disks.add('sda', '8:0')
    disks.add('sdb', '8:16')
    disks.mount('8:16', '/srv/my\\040node/d1')
    assert {'sdb'} == below(disks, '/srv/my node')


def test_a_name_with_a_slash_in_it(disks):
    disks.add('cciss!c0d0', '104:0')
    disks.mount('104:0', '/srv/node/d1')
    assert {'cciss/c0d0'} == below(disks)


def test_where_none_is_mounted_it_is_all_that_are_hardware_and_stay(disks):
    disks.add('sda', '8:0')
    disks.add('sda1', '8:1', of='sda')
    disks.add('vda', '254:0')
    disks.add('sr0', '11:0', removable=1)
    disks.add('loop0', '7:0', hardware=False)
    disks.add('dm-0', '253:0', hardware=False, slaves=['sda1'])
    disks.mount('8:1', '/')
    disks.mount('0:52', '/srv/node/d1', kind='tmpfs')
    assert {'sda', 'vda'} == below(disks)


def test_the_directory_of_devices_may_be_a_link(disks, tmp_path):
    disks.add('sda', '8:0')
    disks.add('sdb', '8:16')
    (tmp_path / 'data').mkdir()
    (tmp_path / 'node').symlink_to(tmp_path / 'data')
    disks.mount('8:16', f'{tmp_path}/data/d1')
    assert {'sdb'} == below(disks, f'{tmp_path}/node')


def test_this_machine():
    if not any(os.path.exists(f'/sys/block/{name}/device') for name in os.listdir('/sys/block')):
        pytest.skip('no disk here')
    with open('/proc/diskstats', encoding='ascii') as file:
        there = {line.split()[2] for line in file}
    found = disks_of('/srv/no/such/node')
    assert found
    assert found <= there
    assert not {name for name in found if name.startswith(('loop', 'ram', 'zram', 'dm-'))}
