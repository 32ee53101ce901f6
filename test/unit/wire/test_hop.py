"""The signed header of delegated requests: no forgery, no other request, no replay."""
import itertools
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from swift_lb.errors import WireError
from swift_lb.wire import hop as room
from swift_lb.wire import node_report, signature
from swift_lb.wire.hop import MAX_NONCES, MAX_SKEW, REPLAYED, STALE, Hop, Nonces, decode, encode

KEY, NEXT = b'the key of all nodes', b'the next key of all nodes'
NOW = 1_700_000_000.0
HOP = Hop('node-1', '10.0.0.2:8080', NOW + 0.25, '0123456789abcdef', '192.0.2.7', '51234', 'https',
          'tx0123456789abcdef01234-0065f0a1b2', True)
METHOD, TARGET = 'PUT', '/v1/AUTH_a/c/o%20b?multipart-manifest=put&x=1|2'
TEXT = encode(KEY, HOP, METHOD, TARGET)

HOPS = st.builds(
    Hop, st.from_regex(node_report.NAME, fullmatch=True),
    st.from_regex(node_report.PROXY, fullmatch=True), st.floats(1.0, 999_999_999_999.0),
    st.text('0123456789abcdef', min_size=16, max_size=32),
    st.sampled_from(['192.0.2.7', '2001:db8::1', 'fe80::1%eth0.2', 'unix']) | st.from_regex(
        '[0-9A-Za-z.:%_-]{1,64}', fullmatch=True),
    st.text('0123456789', max_size=5), st.sampled_from(['http', 'https']),
    st.from_regex('[!-{}~]{0,256}', fullmatch=True), st.booleans())


@given(HOPS, st.text(), st.text())
@example(HOP, METHOD, TARGET)
def test_an_encoded_hop_is_decoded_to_the_same_hop(hop, method, target):
    text = encode(KEY, hop, method, target)
    assert re.fullmatch('[!-~]+', text)
    assert decode((KEY,), text, method, target) == hop


def test_a_hop_header_has_the_documented_fields_and_signature():
    fields, _bar, signed = TEXT.rpartition('|')
    assert fields == ('node-1|10.0.0.2:8080|1700000000.25|0123456789abcdef|192.0.2.7|51234|https|'
                    'tx0123456789abcdef01234-0065f0a1b2|1')
    payload = f'X-Lb-Hop 1\n{fields}\n3\n{METHOD}{TARGET}'.encode()
    assert signed == signature.sign(KEY, payload)[4:36].hex()


def test_a_flipped_bit_of_a_hop_header_makes_it_invalid():
    for place, bit in itertools.product(range(len(TEXT)), range(8)):
        text = TEXT[:place] + chr(ord(TEXT[place]) ^ 1 << bit) + TEXT[place + 1:]
        assert decode((KEY,), text, METHOD, TARGET) is None


@given(st.integers(0, len(METHOD + TARGET) * 8 - 1))
def test_a_flipped_bit_of_a_request_makes_its_hop_header_invalid(place):
    text = bytearray((METHOD + TARGET).encode())
    text[place // 8] ^= 1 << place % 8
    text = text.decode('latin-1')
    assert decode((KEY,), TEXT, text[:len(METHOD)], text[len(METHOD):]) is None


@pytest.mark.parametrize(('method', 'target'), [
    ('GET', TARGET), ('put', TARGET), ('', METHOD + TARGET), ('PUT/', TARGET[1:]),
    ('PU', 'T' + TARGET), (METHOD, TARGET + '&'), (METHOD, TARGET + '\n'), (METHOD, ''),
    (METHOD, TARGET[:-1]), (METHOD, TARGET.replace('%20', ' ')),
    (METHOD, TARGET.replace('AUTH', 'auth'))])
def test_a_hop_header_is_invalid_for_another_request(method, target):
    assert decode((KEY,), TEXT, METHOD, TARGET) == HOP
    assert decode((KEY,), TEXT, method, target) is None


@pytest.mark.parametrize(('keys', 'hop'), [
    ((KEY, NEXT), HOP), ((NEXT, KEY), HOP), ((NEXT,), None), ((), None)])
def test_a_hop_signed_with_any_of_the_keys_is_accepted(keys, hop):
    assert decode(keys, TEXT, METHOD, TARGET) == hop


def signed(fields):
    """Return the X-Lb-Hop header with the text `fields`, signed with KEY for METHOD and TARGET."""
    return f'{fields}|{signature.sign(KEY, room.signed_bytes(fields, METHOD, TARGET))[4:36].hex()}'


WRONG = {
    'sender': ['', '-node', 'no de', 'n' * 64, 'n\r\nX-A: b', 'nöde', 'a|b'],
    'to': ['', '10.0.0.2', '10.0.0.2:', ':80', '10.0.0.2:808080', '10.0.0.2:80\n', 'a|b:1'],
    'sent_at': [float('nan'), float('inf'), -1.0, 1e13, 1e-9],
    'nonce': ['', '0' * 15, '0' * 33, '0123456789abcdeF', '0123456789abcdeg'],
    'client': ['', '192.0.2.7\r', '192.0.2.7 ', 'a\0', 'é', '1' * 65, '\u0661\u0669', '1|2'],
    'port': ['0' * 6, '-1', '8o', '²', ' '],
    'scheme': ['', 'HTTP', 'ftp', 'https ', 'httpss'],
    'trans_id': ['tx 1', 'tx\n', 'tx\r', 'tx\0', 'tx|', 'txé', 'tx\x7f', 't' * 257]}


@pytest.mark.parametrize(('field', 'value'), [
    (field, value) for field, values in WRONG.items() for value in values])
def test_invalid_fields_are_neither_encoded_nor_decoded(field, value):
    wrong = HOP._replace(**{field: value})
    with pytest.raises(WireError):
        encode(KEY, wrong, METHOD, TARGET)
    fields = '|'.join(map(str, wrong[:-1])) + '|1'
    assert decode((KEY,), signed(fields), METHOD, TARGET) is None


def test_signed_headers_in_another_format_are_refused():
    good = TEXT.rpartition('|')[0]
    assert decode((KEY,), signed(good), METHOD, TARGET) == HOP
    for other in (good + '|1', good[:-2], good[:-1] + '2', good[:-1], '|' + good, good + '\n', ''):
        assert decode((KEY,), signed(other), METHOD, TARGET) is None


@pytest.mark.parametrize('text', [
    None, 1, b'', TEXT.encode(), '', '|', TEXT[:-1], TEXT + '0', TEXT + '\n', TEXT + ',' + TEXT,
    ' ' + TEXT, TEXT.upper(), TEXT.replace('|', ','), TEXT[:-64] + TEXT[-64:].upper()])
def test_text_that_is_no_hop_header_is_refused(text):
    assert decode((KEY,), text, METHOD, TARGET) is None


@given(st.text() | st.from_regex(room.TEXT, fullmatch=True), st.text(), st.text())
def test_text_that_is_not_signed_with_a_key_is_refused(text, method, target):
    assert decode((KEY, NEXT), text, method, target) is None


def test_a_hops_signed_bytes_are_not_a_valid_report():
    """The signed bytes of a Report are JSON and begin with '['; those of a Hop never do."""
    fields, _bar, mac = TEXT.rpartition('|')
    whole = signature.MAGIC + bytes.fromhex(mac) + room.signed_bytes(fields, METHOD, TARGET)
    payload = signature.verified((KEY,), whole)
    assert payload.startswith(room.FOR.encode())
    assert node_report.decode(payload) is None


def hop_of(number, sent_at=NOW, sender='node-1'):
    """Return HOP with the nonce `number` and the given sender and time, in seconds."""
    return HOP._replace(sender=sender, nonce=f'{number:016x}', sent_at=sent_at)


def test_a_hop_is_accepted_only_once():
    nonces = Nonces()
    assert [nonces.fault(hop_of(1), NOW + later) for later in (0.0, 0.0, MAX_SKEW)] == [
        None, REPLAYED, REPLAYED]
    assert nonces.fault(hop_of(2), NOW) is None
    assert nonces.fault(hop_of(1, sender='node-2'), NOW) is None
    assert nonces.fault(hop_of(1, sent_at=NOW + 1), NOW) == REPLAYED


@pytest.mark.parametrize(('off', 'why'), [
    (0.0, None), (MAX_SKEW, None), (-MAX_SKEW, None), (MAX_SKEW + 0.001, STALE),
    (-MAX_SKEW - 0.001, STALE), (float('nan'), STALE), (float('inf'), STALE)])
def test_a_hop_is_accepted_if_clocks_differ_by_up_to_max_skew(off, why):
    nonces = Nonces()
    assert nonces.fault(hop_of(1, NOW + off), NOW) == why
    assert len(nonces) == (why is None)


@given(st.floats(-MAX_SKEW, MAX_SKEW), st.floats(0.0, 1e6))
def test_a_replayed_hop_is_refused_at_any_later_time(ahead, later):
    nonces = Nonces()
    assert nonces.fault(hop_of(1, NOW + ahead), NOW) is None
    nonces.fault(hop_of(2, NOW + later), NOW + later)
    assert nonces.fault(hop_of(1, NOW + ahead), NOW + later) in (STALE, REPLAYED)


def test_nonces_are_dropped_beyond_max_nonces_or_after_2_max_skew():
    nonces = Nonces()
    assert {nonces.fault(hop_of(number), NOW) for number in range(MAX_NONCES + 3)} == {None}
    assert len(nonces) == MAX_NONCES
    assert [nonces.fault(hop_of(number), NOW) for number in (3, MAX_NONCES + 2, 2)] == [
        REPLAYED, REPLAYED, None]
    last = NOW + 2 * MAX_SKEW
    assert nonces.fault(hop_of(0, last), last) is None
    assert len(nonces) == MAX_NONCES
    assert nonces.fault(hop_of(1, last), last + 0.001) is None
    assert len(nonces) == 2
