"""What hosts tell of the results that they keep: it comes back as it was, and garbage does not."""
import json

import pytest

from swift_lb.chains.cache.keys import key_of
from swift_lb.wire.kept_news import KEY, MAGIC, MOST, KeptNews, decode, encode
from swift_lb.wire.node_report import MAX_DATAGRAM
from swift_lb.wire.signature import sign

KEYS = tuple(key_of(number)[:KEY] for number in range(MOST))
NEWS = KeptNews('n' * 63, 1_700_000_000, 1 << 40, 1_700_000_000.123, KEYS[:20], KEYS[20:])


def test_news_come_back_as_they_were_and_fit_a_datagram():
    assert decode(encode(NEWS)) == NEWS
    assert decode(encode(NEWS._replace(kept=(), gone=()))) == NEWS._replace(kept=(), gone=())
    assert len(sign(b'key', encode(NEWS), MAGIC)) <= MAX_DATAGRAM


@pytest.mark.parametrize(('place', 'value'), [
    (0, 2), (1, 'a b'), (1, 7), (2, -1), (2, True), (3, 1.5), (4, '1'), (5, 'ab'), (5, None),
    (6, 'G' * KEY), (6, ['a'])])
def test_what_is_not_valid_is_no_news(place, value):
    fields = json.loads(encode(NEWS))
    fields[place] = value
    assert decode(json.dumps(fields).encode()) is None


@pytest.mark.parametrize('payload', [b'', b'[]', b'{}', b'7', b'\xff', b'[' * 1000, b' ' * 2000])
def test_what_is_no_list_of_seven_is_no_news(payload):
    assert decode(payload) is None
