"""Sensors of CPU, load average, memory and pending container updates, of this and other hosts."""
import json
import os
import time
from types import SimpleNamespace

import pytest
from swift.common.utils import dump_recon_cache

from swift_lb import clock
from swift_lb.service.sensors.host import RECON_MAX_AGE, AsyncPending, Cpu, LoadAverage, Memory

KINDS = ('user', 'nice', 'system', 'idle', 'iowait', 'irq', 'softirq', 'steal', 'guest',
         'guest_nice')


def cpu(*readings, cores=2):
    """Return a Cpu sensor that is given each of `readings` in turn, {kind of time: seconds}."""
    each = iter(SimpleNamespace(**dict.fromkeys(KINDS, 0.0) | times) for times in readings)
    return Cpu(times=lambda: next(each), cores=lambda: cores)


@pytest.mark.parametrize(('before', 'after', 'expected'), [
    *(({'idle': 5}, {'idle': 6.5, kind: 0.5}, 0.25)
      for kind in ('user', 'nice', 'system', 'irq', 'softirq', 'steal')),
    *(({'user': 5}, {'user': 5.5, kind: 1.5}, 0.25) for kind in ('idle', 'iowait')),
    ({}, {'user': 1.0, 'guest': 1.0, 'idle': 1.0}, 0.5),        # guests are in user and nice
    ({}, {'nice': 1.0, 'guest_nice': 1.0, 'idle': 1.0}, 0.5),
    ({'user': 3}, {'user': 3, 'idle': 2}, 0.0),
    ({'idle': 3}, {'idle': 3, 'user': 2}, 1.0),
    ({'user': 5, 'idle': 5}, {'user': 4, 'idle': 7}, None),     # started again
    ({'user': 5, 'idle': 5}, {'user': 6, 'idle': 4}, None),
    ({'user': 5, 'idle': 5}, {'user': 5, 'idle': 5}, None),     # nothing counted
    ({'idle': 5}, {'idle': 6, 'steal': 1e16}, None),            # steal that has leapt
])
def test_the_cpu_reading_is_the_busy_fraction_of_all_cores(before, after, expected):
    sensor = cpu(before, after)
    assert [None, expected] == [sensor.read(now) for now in (0.0, 1.0)]
    assert (sensor.fault is None) == (expected is not None)


def test_the_cpu_sensor_sees_this_machine_busy():
    sensor = Cpu()
    assert sensor.read(clock.monotonic()) is None
    until = time.process_time() + 0.3      # time of a core, which the kernel counts in 10 ms
    while time.process_time() < until:
        pass
    assert 0 < sensor.read(clock.monotonic()) <= 1


@pytest.mark.parametrize(('average', 'cores', 'expected'), [
    (6.0, 4, 1.5), (6.0, None, None), (6.0, 0, None), (-1.0, 4, None), (float('nan'), 4, None),
    (float('inf'), 4, None)])
def test_the_load_average_of_one_minute_is_divided_by_the_cores(average, cores, expected):
    sensor = LoadAverage(averages=lambda: (average, 1.0, 2.0), cores=lambda: cores)
    assert expected == sensor.read(0.0)


@pytest.mark.parametrize(('available', 'total', 'expected'), [
    (12 << 30, 16 << 30, 0.25),
    (0, 16 << 30, None),                # psutil's 0 means that it is not known
    (16 << 30, 16 << 30, None), (17 << 30, 16 << 30, None), (-1, 16, None), (0, 0, None),
    (None, 16, None)])
def test_the_memory_reading_is_the_fraction_not_available(available, total, expected):
    memory = SimpleNamespace(available=available, total=total)
    assert expected == Memory(memory=lambda: memory).read(0.0)


def test_this_machines_load_average_and_memory_can_be_read():
    assert LoadAverage().read(0.0) >= 0.0
    assert 0.0 < Memory().read(0.0) < 1.0


@pytest.fixture
def path(tmp_path):
    return tmp_path / 'object.recon'


def dump(path, **entries):
    """Write `entries` to a recon cache, as the daemons of Swift do."""
    dump_recon_cache(entries, str(path), None)


@pytest.fixture
def pending(path):
    """Return an AsyncPending sensor read at 0 s, when the count was older than the agent."""
    dump(path, async_pending=5, async_pending_last=1.0)
    pending = AsyncPending(path=str(path))
    assert pending.read(0.0) is None
    assert 'since the agent was started' in pending.fault
    return pending


def test_an_old_count_of_pending_container_updates_is_unknown(path, pending):
    dump(path, async_pending=7, async_pending_last=2.0)
    assert [7.0, 7.0] == [pending.read(now) for now in (300.0, 300.0 + RECON_MAX_AGE)]
    assert pending.read(301.0 + RECON_MAX_AGE) is None
    assert 'no new count' in pending.fault
    dump(path, async_pending=0, async_pending_last=3.0)
    assert 0.0 == pending.read(302.0 + RECON_MAX_AGE)


def test_a_recon_cache_written_by_other_daemons_is_no_new_count(path, pending):
    dump(path, object_replication_time=2.0)
    assert pending.read(1.0) is None
    dump(path, async_pending=7, async_pending_last=2.0)
    assert 7.0 == pending.read(2.0)
    dump(path, object_replication_time=3.0)
    assert pending.read(3.0 + RECON_MAX_AGE) is None


def test_an_undated_count_is_new_when_the_recon_cache_changes(path):
    path.write_text('{"async_pending": 5}\n')
    os.utime(path, (1, 1))
    pending = AsyncPending(path=str(path))
    assert [None, None] == [pending.read(now) for now in (0.0, 1.0)]
    os.utime(path, (2, 2))
    assert 5.0 == pending.read(2.0)


def test_the_recon_cache_is_parsed_only_after_it_has_changed(path, pending, monkeypatch):
    reads = []
    monkeypatch.setattr(json, 'load', lambda file: reads.append(1) or json.loads(file.read()))
    for now in (1.0, 2.0):
        pending.read(now)
    assert [] == reads
    dump(path, async_pending=7, async_pending_last=2.0)
    for now in (3.0, 4.0):
        pending.read(now)
    assert [1] == reads


@pytest.mark.parametrize('text', [
    None, '', 'x', '[]', '{}', '{"async_pending": null}', '{"async_pending": "7"}',
    '{"async_pending": -1}', '{"async_pending": true}', '{"async_pending": NaN}'])
def test_a_recon_cache_without_a_count_gives_no_reading(path, pending, text):
    dump(path, async_pending=7, async_pending_last=2.0)
    assert 7.0 == pending.read(1.0)
    path.unlink()
    if text is not None:
        path.write_text(text)
    assert [None, None] == [pending.read(now) for now in (2.0, 3.0)]
