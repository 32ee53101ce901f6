"""Sensors of the busiest disk and the longest queue; the disks that they find to read."""
import os

import pytest

from swift_lb import clock
from swift_lb.service.sensors import disks as disk_sensors
from swift_lb.service.sensors.disks import (
    SEARCH_INTERVAL,
    Disk,
    DiskCounters,
    DiskQueue,
    disks_of,
)


@pytest.fixture
def sensors(disks):
    """Return (Disk, DiskQueue), the sensors of disks sda and sdb, first read at 0 s."""
    for name, number in (('sda', '8:0'), ('sdb', '8:16')):
        disks.add(name, number)
        disks.mount(number, f'/srv/node/{name}')
        disks.count(name, done=1000, busy=5000, weighted=50000)
    shared = DiskCounters(root=disks.root)
    both = Disk(disks=lambda _devices: shared), DiskQueue(disks=lambda _devices: shared)
    assert (None, None) == read(both, 0.0)
    return both


def read(sensors, now):
    return tuple(sensor.read(now) for sensor in sensors)


def test_sensors_read_the_busiest_disk_and_the_longest_queue(disks, sensors):
    disks.count('sda', done=1100, busy=5500, weighted=52000)
    disks.count('sdb', done=1100, busy=5250, weighted=53000)
    assert (0.5, 3.0) == read(sensors, 1.0)
    disks.count('sda', done=1101, busy=5600, weighted=52100)
    assert (0.05, 0.05) == read(sensors, 3.0)


@pytest.mark.parametrize('lower', ['done', 'busy', 'weighted'])
def test_a_disk_counter_that_fell_makes_one_reading_unknown(disks, sensors, lower):
    counts = {'done': 1000, 'busy': 5000, 'weighted': 50000}
    disks.count('sda', **counts | {lower: 3})
    assert (None, None) == read(sensors, 1.0)
    assert (0.0, 0.0) == read(sensors, 2.0)


def test_a_disk_that_completes_none_of_its_requests_is_busy(disks, sensors):
    disks.count('sda', done=1000, busy=5000, weighted=50000, in_flight=4)
    assert (0.0, 0.0) == read(sensors, 1.0)         # they may have come this instant
    disks.count('sda', done=1000, busy=5000, weighted=50000, in_flight=8)
    assert (1.0, 6.0) == read(sensors, 2.0)
    assert (1.0, 8.0) == read(sensors, 3.0)


def test_a_disk_has_the_busy_time_and_queue_that_linux_counts(disks, sensors):
    disks.count('sda', done=1001, busy=5001, weighted=50001, in_flight=4)
    read(sensors, 1.0)
    disks.count('sda', done=1002, busy=5501, weighted=50501, in_flight=4)
    assert (0.5, 0.5) == read(sensors, 2.0)


def test_the_busy_fraction_of_a_disk_never_exceeds_1(disks, sensors):
    disks.count('sda', done=1001, busy=15000, weighted=60000)
    assert (1.0, 10.0) == read(sensors, 1.0)


def test_a_removed_disk_is_ignored_and_new_when_it_returns(disks, sensors):
    disks.remove('sda')
    disks.count('sdb', done=1001, busy=5250, weighted=50250)
    assert (0.25, 0.25) == read(sensors, 1.0)
    disks.count('sda', done=5, busy=5, weighted=5)
    assert (None, None) == read(sensors, 2.0)
    assert (0.0, 0.0) == read(sensors, 3.0)


def test_disk_readings_are_unknown_while_the_host_has_no_disk(disks, sensors):
    disks.remove('sda')
    disks.remove('sdb')
    assert (None, None) == read(sensors, 1.0)
    assert 'there is no disk' == sensors[0].fault
    disks.count('sda', done=2000, busy=5500, weighted=55000)
    assert (0.25, 2.5) == read(sensors, 2.0)        # since it was there last, at 0 s
    disks.count('sda', done=2001, busy=6000, weighted=56000)
    assert (0.5, 1.0) == read(sensors, 3.0)


def test_new_disks_are_searched_for_every_minute(disks, sensors):
    disks.add('sdc', '8:32')
    disks.mount('8:32', '/srv/node/sdc')
    assert (0.0, 0.0) == read(sensors, SEARCH_INTERVAL - 1)
    assert (None, None) == read(sensors, SEARCH_INTERVAL)
    disks.count('sdc', done=1, busy=500, weighted=500)
    assert (0.5, 0.5) == read(sensors, SEARCH_INTERVAL + 1)
    disks.unmount('/srv/node/sdc')
    read(sensors, 2 * SEARCH_INTERVAL)
    disks.count('sdc', done=2, busy=900, weighted=900)
    assert (0.0, 0.0) == read(sensors, 2 * SEARCH_INTERVAL + 1)


def test_both_disk_sensors_share_one_reading_of_the_disks(disks, sensors, monkeypatch):
    searches = []
    monkeypatch.setattr(disk_sensors, 'disks_of', lambda *_args: searches.append(1) or {'sda'})
    assert (0.0, 0.0) == read(sensors, SEARCH_INTERVAL)
    assert [1] == searches


def test_disk_sensors_read_the_disks_of_this_machine():
    sensors = Disk(devices='/srv/no/such/node'), DiskQueue(devices='/srv/no/such/node')
    assert (None, None) == read(sensors, clock.monotonic())
    if sensors[0].fault == 'there is no disk':
        pytest.skip('no disk here')
    clock.sleep(0.01)
    busy, queue = read(sensors, clock.monotonic())
    assert 0 <= busy <= 1
    assert queue >= 0


SDA, SDB, SDC = ('sda', '8:0', {}), ('sdb', '8:16', {}), ('sdc', '8:32', {})
LOOP = ('loop0', '7:0', {'hardware': False})
MOUNTS = [('8:0', '/'), ('8:16', '/srv/node/d1'), ('8:32', '/srv/nodes/d2')]


@pytest.mark.parametrize(('devices', 'mounts', 'directory', 'expected'), [
    ([SDA, SDB, SDC], MOUNTS, '/srv/node', {'sdb'}),
    ([SDA, SDB, SDC], MOUNTS, '/srv', {'sdb', 'sdc'}),
    ([SDA, SDB, SDC], MOUNTS, '/srv/nodes/d2', {'sdc'}),
    ([SDA, SDB, SDC], MOUNTS, '/', {'sda', 'sdb', 'sdc'}),
    # partitions mean their disk, volumes the disks that they lie on, a loop device itself
    ([SDB, ('sdb1', '8:17', {'of': 'sdb'}), ('sdb2', '8:18', {'of': 'sdb'})],
     [('8:17', '/srv/node/d1'), ('8:18', '/srv/node/d2')], '/srv/node', {'sdb'}),
    ([('nvme0n1', '259:0', {}), ('nvme0n1p3', '259:3', {'of': 'nvme0n1'}), SDB,
      ('md0', '9:0', {'hardware': False, 'slaves': ['nvme0n1p3', 'sdb']}),
      ('dm-0', '253:0', {'hardware': False, 'slaves': ['md0']})],
     [('253:0', '/srv/node/d1')], '/srv/node', {'nvme0n1', 'sdb'}),
    ([SDA, LOOP], [('7:0', '/srv/node/sdb1')], '/srv/node', {'loop0'}),
    # names with a space and a slash
    ([SDA, SDB], [('8:16', '/srv/my\\040node/d1')], '/srv/my node', {'sdb'}),
    ([('cciss!c0d0', '104:0', {})], [('104:0', '/srv/node/d1')], '/srv/node', {'cciss/c0d0'}),
    # without a disk below the directory: all that are hardware and not removable
    ([SDA, ('sda1', '8:1', {'of': 'sda'}), ('vda', '254:0', {}), ('sr0', '11:0', {'removable': 1}),
      LOOP, ('dm-0', '253:0', {'hardware': False, 'slaves': ['sda1']})],
     [('8:1', '/'), ('0:52', '/srv/node/d1', 'tmpfs')], '/srv/node', {'sda', 'vda'}),
])
def test_the_disks_mounted_below_a_directory_are_found(disks, devices, mounts, directory, expected):
    for name, number, facts in devices:
        disks.add(name, number, **facts)
    for mount in mounts:
        disks.mount(*mount)
    assert expected == disks_of(directory, disks.root)


def test_the_directory_of_swifts_devices_may_be_a_symlink(disks, tmp_path):
    for name, number, _facts in (SDA, SDB):
        disks.add(name, number)
    (tmp_path / 'data').mkdir()
    (tmp_path / 'node').symlink_to(tmp_path / 'data')
    disks.mount('8:16', f'{tmp_path}/data/d1')
    assert {'sdb'} == disks_of(f'{tmp_path}/node', disks.root)


def test_the_disks_found_on_this_machine_are_hardware():
    if not any(os.path.exists(f'/sys/block/{name}/device') for name in os.listdir('/sys/block')):
        pytest.skip('no disk here')
    with open('/proc/diskstats', encoding='ascii') as file:
        listed = {line.split()[2] for line in file}
    names = disks_of('/srv/no/such/node')
    assert names
    assert names <= listed
    assert not {name for name in names if name.startswith(('loop', 'ram', 'zram', 'dm-'))}
