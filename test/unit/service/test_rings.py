"""The digest of a host's Swift: equal for equal rings and hash paths, and for nothing else."""
import os

import pytest

from swift_lb.service.rings import NEEDED, RingDigest

KEY = b'a key of all clusters'
CONF = '[swift-hash]\nswift_hash_path_prefix = a\nswift_hash_path_suffix = b\n'


@pytest.fixture
def swift(tmp_path):
    """Return a function that makes a directory `name` with the files of a Swift."""
    def make(name, conf=CONF):
        directory = tmp_path / name
        directory.mkdir()
        (directory / 'swift.conf').write_text(conf)
        for file in NEEDED:
            (directory / file).write_bytes(file.encode() * 200_000)
        return directory
    return make


def test_hosts_with_the_same_rings_and_hash_path_have_the_same_digest(swift):
    digest = RingDigest().of(swift('one'), KEY)
    assert len(digest) == 16
    assert int(digest, 16)
    assert digest == RingDigest().of(swift('two'), KEY)
    assert digest != RingDigest().of(swift('three'), KEY + b'2')
    assert digest != RingDigest().of(swift('four', CONF.replace('= b', '= c')), KEY)


def test_the_digest_follows_each_ring_that_is_changed_added_or_removed(swift):
    directory, rings = swift('one'), RingDigest()
    before = rings.of(directory, KEY)
    (directory / 'object-1.ring.gz').write_bytes(b'one')
    added = rings.of(directory, KEY)
    (directory / 'object-1.ring.gz').write_bytes(b'three')
    changed = rings.of(directory, KEY)
    (directory / 'object-1.ring.gz').unlink()
    assert len({before, added, changed}) == 3
    assert before == rings.of(directory, KEY)
    assert before == RingDigest().of(directory, KEY)


def test_a_ring_that_does_not_change_is_read_once(swift, monkeypatch):
    directory, rings = swift('one'), RingDigest()
    digest, read = rings.of(directory, KEY), []
    monkeypatch.setattr('swift_lb.service.rings.file_digest', read.append)
    assert digest == rings.of(directory, KEY)
    assert read == []


def test_a_host_without_rings_has_no_digest(swift, tmp_path):
    assert RingDigest().of(tmp_path / 'nothing', KEY) == ''
    directory, rings = swift('one', 'no section'), RingDigest()
    assert rings.of(directory, KEY) == ''
    (directory / 'swift.conf').write_text(CONF)
    os.rename(directory / NEEDED[0], directory / 'kept')
    assert rings.of(directory, KEY) == ''
    os.rename(directory / 'kept', directory / NEEDED[0])
    assert rings.of(directory, KEY) != ''
