"""The busiest disk and the longest queue, of disks that also hang, wrap and leave."""
import pytest

from swift_lb import clock
from swift_lb.errors import ConfigError
from swift_lb.service.sensors import disk_counters
from swift_lb.service.sensors.disk import Disk
from swift_lb.service.sensors.disk_counters import LOOK, DiskCounters
from swift_lb.service.sensors.disk_queue import DiskQueue


@pytest.fixture
def sensors(disks):
    """Return (Disk, DiskQueue) of two disks, sda and sdb, read once, at 0 s."""
    for name, number in (('sda', '8:0'), ('sdb', '8:16')):
        disks.add(name, number)
        disks.mount(number, f'/srv/node/{name}')
        disks.count(name, done=1000, busy=5000, weighted=50000)
    shared = DiskCounters(root=disks.root)
    both = Disk(counters=lambda _devices: shared), DiskQueue(counters=lambda _devices: shared)
    assert (None, None) == read(both, 0.0)
    return both


def read(sensors, now):
    return tuple(sensor.read(now) for sensor in sensors)


def test_the_busiest_disk_and_the_longest_queue(disks, sensors):
    disks.count('sda', done=1100, busy=5500, weighted=52000)
    disks.count('sdb', done=1100, busy=5250, weighted=53000)
    assert (0.5, 3.0) == read(sensors, 1.0)
    disks.count('sda', done=1101, busy=5600, weighted=52100)
    assert (0.05, 0.05) == read(sensors, 3.0)


def test_idle_disks_are_0(sensors):
    assert (0.0, 0.0) == read(sensors, 1.0)


@pytest.mark.parametrize('lower', ['done', 'busy', 'weighted'])
def test_a_counter_that_has_gone_back_is_unknown_once(disks, sensors, lower):
    counts = {'done': 1000, 'busy': 5000, 'weighted': 50000}
    disks.count('sda', **counts | {lower: 3})
    assert (None, None) == read(sensors, 1.0)
    assert (0.0, 0.0) == read(sensors, 2.0)


def test_a_disk_that_hangs_is_busy_though_it_counts_nothing(disks, sensors):
    disks.count('sda', done=1000, busy=5000, weighted=50000, in_flight=4)
    assert (0.0, 0.0) == read(sensors, 1.0)         # they may have come this instant
    disks.count('sda', done=1000, busy=5000, weighted=50000, in_flight=8)
    assert (1.0, 6.0) == read(sensors, 2.0)
    assert (1.0, 8.0) == read(sensors, 3.0)


def test_one_that_has_served_requests_is_as_busy_as_it_counts(disks, sensors):
    disks.count('sda', done=1001, busy=5001, weighted=50001, in_flight=4)
    read(sensors, 1.0)
    disks.count('sda', done=1002, busy=5501, weighted=50501, in_flight=4)
    assert (0.5, 0.5) == read(sensors, 2.0)


def test_what_a_request_took_that_began_long_ago_comes_at_once_and_1_is_the_most(disks, sensors):
    disks.count('sda', done=1001, busy=15000, weighted=60000)
    assert (1.0, 10.0) == read(sensors, 1.0)


def test_a_disk_that_leaves_is_left_out_and_is_new_when_it_is_back(disks, sensors):
    disks.remove('sda')
    disks.count('sdb', done=1001, busy=5250, weighted=50250)
    assert (0.25, 0.25) == read(sensors, 1.0)
    disks.count('sda', done=5, busy=5, weighted=5)
    assert (None, None) == read(sensors, 2.0)
    assert (0.0, 0.0) == read(sensors, 3.0)


def test_without_a_disk_it_is_unknown_until_there_is_one(disks, sensors):
    disks.remove('sda')
    disks.remove('sdb')
    assert (None, None) == read(sensors, 1.0)
    assert 'there is no disk' == sensors[0].fault
    disks.count('sda', done=2000, busy=5500, weighted=55000)
    assert (0.25, 2.5) == read(sensors, 2.0)        # since it was there last, at 0 s
    disks.count('sda', done=2001, busy=6000, weighted=56000)
    assert (0.5, 1.0) == read(sensors, 3.0)


def test_new_disks_are_looked_for_every_minute(disks, sensors):
    disks.add('sdc', '8:32')
    disks.mount('8:32', '/srv/node/sdc')
    assert (0.0, 0.0) == read(sensors, LOOK - 1)
    assert (None, None) == read(sensors, LOOK)
    disks.count('sdc', done=1, busy=500, weighted=500)
    assert (0.5, 0.5) == read(sensors, LOOK + 1)


def test_a_disk_that_is_unmounted_does_not_count_any_more(disks, sensors):
    disks.unmount('/srv/node/sda')
    read(sensors, LOOK)
    disks.count('sda', done=2000, busy=5900, weighted=59000)
    assert (0.0, 0.0) == read(sensors, LOOK + 1)


def test_a_proc_of_other_lines_is_unknown(disks, sensors):
    (disks.root / 'proc/diskstats').write_text('8 0 sda 1 2 3 4\n')
    assert (None, None) == read(sensors, 1.0)
    assert 'IndexError' in sensors[0].fault


def test_both_read_once_a_tick(disks, sensors, monkeypatch):
    looks = []
    monkeypatch.setattr(disk_counters, 'disks_of', lambda *_args: looks.append(1) or {'sda'})
    assert (0.0, 0.0) == read(sensors, LOOK)
    assert [1] == looks


@pytest.mark.parametrize('kind', [Disk, DiskQueue])
@pytest.mark.parametrize('devices', ['srv/node', '', None, 3, ['/srv/node'], '/srv\0'])
def test_a_bad_directory_is_refused(kind, devices):
    with pytest.raises(ConfigError, match='absolute path'):
        kind(devices=devices)


def test_this_machine():
    sensors = Disk(devices='/srv/no/such/node'), DiskQueue(devices='/srv/no/such/node')
    assert (None, None) == read(sensors, clock.monotonic())
    if sensors[0].fault == 'there is no disk':
        pytest.skip('no disk here')
    clock.sleep(0.1)
    busy, queue = read(sensors, clock.monotonic())
    assert 0 <= busy <= 1
    assert queue >= 0
