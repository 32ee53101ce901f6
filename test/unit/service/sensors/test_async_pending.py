"""What swift-recon-cron has counted, as Swift writes it, and how long that is believed."""
import json
import os

import pytest
from swift.common.utils import dump_recon_cache

from swift_lb.errors import ConfigError
from swift_lb.service.sensors.async_pending import MAX_AGE, AsyncPending


@pytest.fixture
def path(tmp_path):
    return tmp_path / 'object.recon'


def dump(path, **entries):
    """Write these entries as the daemons of Swift do."""
    dump_recon_cache(entries, str(path), None)


@pytest.fixture
def sensor(path):
    """Return a sensor that has seen an older count, at 0 s."""
    dump(path, async_pending=5, async_pending_last=1.0)
    sensor = AsyncPending(path=str(path))
    assert sensor.read(0.0) is None
    assert 'since the agent was started' in sensor.fault
    return sensor


def test_a_count_made_while_the_agent_runs_is_believed_so_long(path, sensor):
    dump(path, async_pending=7, async_pending_last=2.0)
    assert [7.0, 7.0] == [sensor.read(now) for now in (300.0, 300.0 + MAX_AGE)]
    assert sensor.read(301.0 + MAX_AGE) is None
    assert 'no new count' in sensor.fault
    dump(path, async_pending=7, async_pending_last=3.0)
    assert 7.0 == sensor.read(302.0 + MAX_AGE)


def test_nothing_pending_is_0(path, sensor):
    dump(path, async_pending=0, async_pending_last=2.0)
    assert 0.0 == sensor.read(1.0)


def test_what_other_daemons_write_is_no_new_count(path, sensor):
    dump(path, object_replication_time=2.0)
    assert sensor.read(1.0) is None
    dump(path, async_pending=7, async_pending_last=2.0)
    assert 7.0 == sensor.read(2.0)
    dump(path, object_replication_time=3.0)
    assert sensor.read(3.0 + MAX_AGE) is None


def test_where_swift_does_not_say_when_it_counted_the_stamp_of_the_file_does(path):
    path.write_text('{"async_pending": 5}\n')
    os.utime(path, (1, 1))
    sensor = AsyncPending(path=str(path))
    assert [None, None] == [sensor.read(now) for now in (0.0, 1.0)]
    os.utime(path, (2, 2))
    assert 5.0 == sensor.read(2.0)


def test_a_file_is_read_when_it_has_changed_and_only_then(path, sensor, monkeypatch):
    reads = []
    monkeypatch.setattr(json, 'load', lambda file: reads.append(1) or json.loads(file.read()))
    for now in (1.0, 2.0):
        sensor.read(now)
    assert [] == reads
    dump(path, async_pending=7, async_pending_last=2.0)
    for now in (3.0, 4.0):
        sensor.read(now)
    assert [1] == reads


def test_an_absent_file_is_unknown(path, sensor):
    path.unlink()
    assert sensor.read(1.0) is None
    assert 'FileNotFoundError' in sensor.fault


@pytest.mark.parametrize('text', [
    '', 'x', '[]', '{}', '{"async_pending": null}', '{"async_pending": "7"}',
    '{"async_pending": -1}', '{"async_pending": true}', '{"async_pending": NaN}'])
def test_a_file_that_says_something_else_is_unknown(path, sensor, text):
    path.write_text(text)
    assert [None, None] == [sensor.read(now) for now in (1.0, 2.0)]


@pytest.mark.parametrize('path', ['object.recon', '', None, 3])
def test_a_bad_path_is_refused(path):
    with pytest.raises(ConfigError, match='path'):
        AsyncPending(path=path)
