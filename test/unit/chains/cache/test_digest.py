"""Digests: no key is missing, few others seem to be in, garbage is refused."""
import pytest

from swift_lb.chains.cache.digest import Digest
from swift_lb.chains.cache.keys import key_of

KEYS = [key_of('in', number) for number in range(10_000)]


def test_a_digest_of_10000_keys_has_12_kilobytes_and_one_percent_of_false_answers():
    data = Digest.of(KEYS).dumps()
    assert len(data) == 11_988
    digest = Digest.loads(data)
    assert all(key in digest for key in KEYS)
    false = sum(key_of('out', number) in digest for number in range(20_000)) / 20_000
    assert 0.008 < false < 0.012


def test_an_empty_digest_has_no_key():
    assert not any(key in Digest.loads(Digest.of([]).dumps()) for key in KEYS)


@pytest.mark.parametrize('data', [b'', b'slbd\x01', b'slbd\x01\x00' + bytes(8), b'slbd\x01\x07',
                                  b'slbd\x02\x07' + bytes(8), b'slbd\x01\xff' + bytes(8)])
def test_what_is_no_digest_is_refused(data):
    with pytest.raises(ValueError, match='not a digest'):
        Digest.loads(data)
