"""A report as a datagram: it round-trips, always fits, and nothing else is accepted."""
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.reports import NEIGHBOURS, REPORTS

from swift_lb.errors import WireError
from swift_lb.model import DISABLED, UP, Report
from swift_lb.wire import node_report
from swift_lb.wire.node_report import MAX_FLOWS, MAX_PAYLOAD, Neighbour, decode, encode, largest
from swift_lb.wire.signature import sign

KEY = b'a key that all nodes have'
METRICS = {'cpu': 0.25, 'in_flight': 12.0, 'response_time': 0.0123457}
PLAIN = Report('node-1', 1_700_000_000_000_000, 17, 1_700_000_000.25, 1.0, METRICS,
               '10.0.0.1:8080', UP, 0.55, 120.5, 241.0, UP, 0.75, 0.9, 0.1, 42, 'ab12' * 4,
               'cd34cd34', (('node-2', 31.5), ('node-3', 0.05)))
PEERS = [Neighbour('node-2', '10.0.0.2', 6208), Neighbour('node-3', '2001:db8::3', 6208)]


def rounded(report):
    """Return `report` with its numbers rounded to the digits that a datagram has."""
    digits = node_report.digits
    return report._replace(
        sent_at=round(report.sent_at, 3), interval=digits(report.interval),
        metrics={name: digits(value) for name, value in report.metrics.items()},
        ramp=digits(report.ramp), reject=digits(report.reject), critical=digits(report.critical),
        flows=tuple((node, digits(rate)) for node, rate in report.flows))


def test_a_report_is_encoded_to_exactly_the_expected_bytes():
    assert encode(PLAIN._replace(metrics={'cpu': 0.25}), PEERS[:1]) == (
        b'[1,"node-1",1700000000000000,17,1700000000.25,1.0,"10.0.0.1:8080","up",0.55,120.5,241.0,'
        b'"up",0.75,0.9,0.1,42,"ab12ab12ab12ab12","cd34cd34",{"cpu":0.25},'
        b'[["node-2",31.5],["node-3",0.05]],[["node-2","10.0.0.2",6208]]]')
    assert decode(json.dumps(GOOD).encode()) == (PLAIN, PEERS)


@given(REPORTS, NEIGHBOURS)
def test_any_report_fits_into_a_datagram_or_is_refused(report, neighbours):
    try:
        payload = encode(report, neighbours)
    except WireError:
        assert sum(map(len, report.metrics)) > 150, 'there was room'
        return
    assert len(sign(KEY, payload)) <= node_report.MAX_DATAGRAM == 1200
    assert payload.isascii()
    decoded, kept = decode(payload)
    assert decoded == rounded(report)._replace(flows=decoded.flows)
    assert decoded.flows == rounded(report).flows[:len(decoded.flows)]
    assert kept == neighbours[:len(kept)]
    if decoded.flows and neighbours:
        assert kept, 'there was room for one'


@given(REPORTS, st.randoms())
def test_a_decoded_report_encodes_to_the_same_bytes(report, chance):
    mixed = list(report.metrics.items())[:8]
    payload = encode(report._replace(metrics=dict(mixed)))
    assert encode(decode(payload)[0]) == payload
    chance.shuffle(mixed)
    assert encode(report._replace(metrics=dict(mixed))) == payload


@pytest.mark.parametrize('length', range(1, 64))
def test_a_datagram_is_filled_up_with_neighbours_addresses(length):
    neighbours = [Neighbour('n' * length, '2001:db8::6666', 6000 + number) for number in range(60)]
    payload = encode(PLAIN, neighbours)
    kept = decode(payload)[1]
    assert kept == neighbours[:len(kept)] != []
    longer = len(node_report.dumped(list(neighbours[len(kept)]))) + 1
    assert MAX_PAYLOAD - longer <= len(payload) <= MAX_PAYLOAD


def test_a_reports_flows_are_the_largest_delegation_rates():
    rates = {f'n{number}': float(number) for number in range(12)} | {'n12': 0.04, 'n13': 2e9}
    assert tuple((f'n{number}', float(number)) for number in range(11, 3, -1)) == largest(rates)
    assert (('a', 1.0), ('b', 1.0)) == largest({'b': 1.0, 'a': 1.0})


def test_delegation_rates_leave_room_for_a_neighbours_address():
    flows = tuple(('n' * 62 + str(number), 123.456 - number) for number in range(MAX_FLOWS))
    metrics = {f'metric_number_{number}': 0.123457 for number in range(12)}
    longest = Neighbour('n' * 63, '2001:db8:1111:2222:3333:4444:100.100.100.100', 65535)
    decoded, kept = decode(encode(PLAIN._replace(flows=flows, metrics=metrics), [longest] * 9))
    assert 0 < len(decoded.flows) < MAX_FLOWS
    assert decoded.flows == flows[:len(decoded.flows)]
    assert kept == [longest]


def test_a_report_too_large_for_a_datagram_is_refused():
    metrics = {f'metric_of_a_long_name_{number:09}': 1.23456e-7 for number in range(32)}
    with pytest.raises(WireError, match=r'report of node-1 has more than the 1164 bytes .* fewer'):
        encode(PLAIN._replace(metrics=metrics))


NO_NUMBER = [None, True, False, '1', '', [], {}, [1], float('nan'), float('inf'), -float('inf'),
             -1, -0.001, 10**400, -10**400, 1e300]
NO_FRACTION = [*(value for value in NO_NUMBER if value is not None), 1.000001, 2]
NO_WHOLE = [*NO_NUMBER, 1.0, 0.5, 1 << 63, 1 << 64]
NO_TEXT = [None, True, 0, 1, 1.5, [], {}, ['up'], 'x\n', 'x y', 'x' * 200, '\x00', 'ü', '../x',
           '<b>', '\ud800']
BAD = {
    'version': [0, 2, True, 1.0, '1', None, [], 10**30],
    'node': [*NO_TEXT, '', '-x', '.x', 'x' * 64],
    'epoch': NO_WHOLE, 'sequence': NO_WHOLE, 'generation': NO_WHOLE,
    'sent_at': [*NO_NUMBER, 1e13], 'interval': [*NO_NUMBER, 0, 0.09, 60.01, 61],
    'proxy': [*NO_TEXT, '10.0.0.1', '10.0.0.1:', ':8080', '10.0.0.1:123456', '[::1', '[x]:1'],
    'state': [*NO_TEXT, '', 'UP', 'late', 'gone', 'rejected'],
    'told': [*NO_TEXT, '', 'UP', 'gone', 'lost'],
    'ramp': [None, *NO_FRACTION], 'keep': [None, *NO_FRACTION], 'take': [None, *NO_FRACTION],
    'weight': NO_FRACTION, 'reject': [value for value in NO_NUMBER if value is not None],
    'critical': [value for value in NO_NUMBER if value is not None],
    'digest': [*NO_TEXT, 'AB', 'g', 'a' * 17], 'rules': [*NO_TEXT, 'AB', 'g', 'a' * 17],
    'metrics': [None, True, 1, '', 'cpu', [], [['cpu', 1]], {'': 1}, {'CPU': 1}, {'1st': 1},
                {'a' * 33: 1}, {'ü': 1}, {'cpu': None}, {'cpu': True}, {'cpu': '1'},
                {'cpu': float('nan')}, {'cpu': float('inf')}, {'cpu': 1.1e15}, {'cpu': {}},
                {'cpu': 10**400}, {f'm{number}': 1 for number in range(33)}],
    'flows': [None, True, 1, '', 'ab', {}, {'a': 1}, [1], ['ab'], [[]], [['a']], [['a', 1, 2]],
              [['', 1]], [['-x', 1]], [['x' * 64, 1]], [[None, 1]], [[1, 1]], [['a', None]],
              [['a', True]], [['a', '1']], [['a', float('nan')]], [['a', float('inf')]],
              [['a', -1]], [['a', 0]], [['a', 0.049]], [['a', 1.1e9]], [['a', 10**400]],
              [['a', [1]]], [['a', 1], ['b', 2]], [['a', 2], ['a', 1]],
              [[f'n{number}', 1] for number in range(MAX_FLOWS + 1)]],
    'neighbours': [None, True, 1, '', 'abc', {}, {'a': 1}, [1], ['abc'], [[]], [['b', '1.2.3.4']],
                   [['b', '1.2.3.4', 1, 2]], [['', '1.2.3.4', 1]], [['b', '', 1]],
                   [['b', 'name', 1]], [['b', 'dead', 1]], [['b', 'fade.ed', 1]], [['b', '..', 1]],
                   [['b', '1.2', 1]], [['b', '1.2.3.400', 1]], [['b', 'fe80::1%eth0', 1]],
                   [['b', '1.2.3.4', 0]], [['b', '1.2.3.4', 65536]], [['b', '1.2.3.4', True]],
                   [['b', '1.2.3.4', 1.0]], [['b', '1.2.3.4', '1']], [[None, '1.2.3.4', 1]],
                   [['b', 16909060, 1]]],
}
ORDER = ('version', 'node', 'epoch', 'sequence', 'sent_at', 'interval', 'proxy', 'state', 'ramp',
         'reject', 'critical', 'told', 'weight', 'keep', 'take', 'generation', 'digest', 'rules',
         'metrics', 'flows', 'neighbours')
GOOD = json.loads(encode(PLAIN, PEERS))


@pytest.mark.parametrize('field', ORDER)
def test_a_payload_with_an_invalid_field_is_refused(field):
    place = ORDER.index(field)
    assert [] == [value for value in BAD[field] if decode(json.dumps(
        [*GOOD[:place], value, *GOOD[place + 1:]]).encode())]


@pytest.mark.parametrize('payload', [
    b'', b' ', b'null', b'1', b'"x"', b'{}', b'[]', b'[1]', b'[' * 1164, b'[' * 582 + b']' * 582,
    b'{"a":' * 200, b'[1,' + b'9' * 1150 + b']', b'\xff\xfe', b'\xef\xbb\xbf[1]', b'[1e999999]',
    json.dumps(GOOD[:-1]).encode(), json.dumps([*GOOD, 1]).encode(), json.dumps([GOOD]).encode(),
    json.dumps(dict(enumerate(GOOD))).encode(), encode(PLAIN)[:-1], encode(PLAIN) + b']',
    json.dumps(GOOD).encode('utf-16')[:200]],
    ids=lambda payload: repr(payload[:12]))
def test_a_payload_that_is_no_report_is_decoded_to_none(payload):
    assert decode(payload) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
        st.text(max_size=4), inner, max_size=4), max_leaves=12)


@settings(max_examples=400)
@given(st.lists(st.tuples(st.integers(0, 20), JSON), min_size=1, max_size=3))
def test_decoding_any_json_values_as_fields_raises_no_error(changes):
    fields = list(GOOD)
    for place, value in changes:
        fields[place] = value
    decoded = decode(json.dumps(fields).encode())
    if decoded is not None:       # such as another whole number for the epoch
        report, neighbours = decoded
        assert decode(encode(report, neighbours)) is not None


def test_the_longest_fields_take_less_than_half_a_datagram():
    longest = PLAIN._replace(
        node='n' * 63, epoch=2**63 - 1, sequence=2**63 - 1, sent_at=999_999_999_999.123,
        proxy='p' * 63 + ':65535', state=DISABLED, reject=1.23457e-10, critical=1.23457e14,
        told='rejected', weight=0.123456, keep=0.123456, take=0.123456, generation=2**62 - 1,
        digest='f' * 16, rules='f' * 16, metrics={})
    assert len(sign(KEY, encode(longest._replace(flows=())))) < 1200 / 2
