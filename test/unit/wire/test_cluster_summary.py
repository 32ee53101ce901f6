"""Summaries of clusters as datagrams: exact, bounded, and refused if they are anything else."""
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.errors import WireError
from swift_lb.model import (
    ClientPath,
    ClusterLink,
    Clusters,
    ClusterSummary,
    ContentTime,
    Echo,
    EndedRedirect,
    HeardCluster,
    ImageState,
    TimeForecast,
)
from swift_lb.wire import cluster_summary, clusters
from swift_lb.wire.node_report import MAX_PAYLOAD

SUMMARY = ClusterSummary(
    'us.ksu', 'n1', 1, 2, 1700000000.5, 2.0, 'https://ksu.example', 3, 0.25, 0.125,
    ('198.18.1.1:8080', '[::1]:8080', 'https://a.b:443'),
    (ContentTime('small', 0.03, 0.002),), (('eu', 12.5),),
    '0123456789abcdef', 2, (Echo('eu', 'm1', 5, 6, 0.5, 0.25),),
    (ClusterLink('eu', 0.08, 0.002, 0.5, 2e6, 1e5),),
    (ClientPath('198.51.100.0/24', 0.02, 1e6), ClientPath('2001:db8::/48', 0.2, 1e5)),
    (EndedRedirect('0123abcd', -0.02, 0.5), EndedRedirect('ffffffff', 0.25, None),
     EndedRedirect('0123abce', 2.0, -0.5, True)),
    ImageState(0.0123456, 12, 8.12345e-8, 1.4e-7, 5e-9, 1.6e-7))


def test_a_summary_is_the_same_after_it_was_encoded_and_decoded():
    assert SUMMARY == cluster_summary.decode(cluster_summary.encode(SUMMARY))
    unknown = SUMMARY._replace(load=None, least_load=None, url='', relays=(), times=(), credits=(),
                               ring='', region=0, echoes=(), paths=(), ended=(), image=None,
                               links=(ClusterLink('eu', 0.1, None, 0.0),))
    assert unknown == cluster_summary.decode(cluster_summary.encode(unknown))


def test_lists_that_do_not_fit_a_datagram_are_left_out():
    many = SUMMARY._replace(
        echoes=tuple(Echo(f'cluster-{number}', 'm1', 5, 6, 0.5, 0.0) for number in range(60)),
        links=tuple(ClusterLink(f'cluster-{number}', 0.08, None, 0.0) for number in range(60)),
        paths=tuple(ClientPath(f'10.0.{number}.0/24', 0.08, 1e6) for number in range(60)))
    payload = cluster_summary.encode(many)
    assert len(payload) <= MAX_PAYLOAD
    decoded = cluster_summary.decode(payload)
    assert many.echoes[:len(decoded.echoes)] == decoded.echoes != ()
    assert many.links[:len(decoded.links)] == decoded.links


def test_credits_leave_room_for_echoes_and_the_first_ones_are_kept():
    many = SUMMARY._replace(credits=tuple((f'us.west.cluster-{number}', 12.5)
                                          for number in range(60)))
    decoded = cluster_summary.decode(cluster_summary.encode(many))
    assert 12 < len(decoded.credits) < 30
    assert many.credits[:len(decoded.credits)] == decoded.credits
    assert (SUMMARY.ring, SUMMARY.echoes, SUMMARY.links) == (
        decoded.ring, decoded.echoes, decoded.links)


def test_the_longest_url_relays_and_credits_leave_room_for_an_echo():
    many = SUMMARY._replace(
        url='https://x/' + 'x' * 198, relays=(f'https://{"x" * 63}:65535',) * 3,
        credits=tuple((f'us.west.cluster-{number}', 12.5) for number in range(60)))
    decoded = cluster_summary.decode(cluster_summary.encode(many))
    assert (many.url, many.relays, many.echoes) == (decoded.url, decoded.relays, decoded.echoes)


def test_a_summary_that_does_not_fit_without_echoes_is_an_error():
    with pytest.raises(WireError, match=r'cluster us\.ksu'):
        cluster_summary.encode(SUMMARY._replace(url='http://' + 'x' * MAX_PAYLOAD))


def test_fields_that_a_later_version_appends_are_ignored():
    fields = json.loads(cluster_summary.encode(SUMMARY))
    assert SUMMARY == cluster_summary.decode(json.dumps([*fields, 'more']).encode())


def test_a_summary_of_an_older_agent_has_no_decoders_and_no_ends_of_parts():
    fields = json.loads(cluster_summary.encode(SUMMARY))
    older = SUMMARY._replace(ended=SUMMARY.ended[:2])
    assert older == cluster_summary.decode(json.dumps(fields[:21]).encode())
    assert older._replace(image=None) == cluster_summary.decode(json.dumps(fields[:20]).encode())


@pytest.mark.parametrize(('place', 'value'), [
    (0, 2), (1, 'KSU'), (1, 'a' * 200), (2, ''), (3, -1), (4, 1.5), (5, 'now'), (6, 0.0), (7, 'x'),
    (7, 'http://['), (7, 'https://evil.example\\@ucsb.example'), (7, 'http://a?b'), (7, 'http://a#b'),
    (7, 'http://A'), (7, 'http://a:'), (7, 'http://' + 'x.' * 110 + 'x'),
    (8, -1), (9, 'much'), (9, float('nan')), (11, ['8080']), (11, ['a:1'] * 4),
    (11, ['http://10.0.0.1:80']), (11, ['https://a:443/']),
    (12, [['small', -1, 0]]), (12, [['SMALL', 1, 0]]), (13, [['eu', -1]]), (13, [['EU', 1]]),
    (14, 'ring'), (15, -1), (15, 0.5), (16, [[1]]), (16, [['eu', 'm1', 5, 6, -1, 0]]),
    (17, [['eu', 1e9, 0, 0]]), (17, [['eu', 1, 0, 0, -1]]), (17, [['eu', 1, 0, 0, 0]]),
    (17, {}), (18, [['net', 1, 1]]),
    (18, [['10.0.0.0/8', 1]]), (18, [['10.0.0.0/8', 1, 0]]), (20, 1), (20, []), (20, {}),
    (20, [0, 1, 0, 0, 0]), (20, [0, 1, 0, 0, 0, 0, 0]), (20, [-1, 1, 0, 0, 0, 0]),
    (20, [0, 0, 0, 0, 0, 0]), (20, [0, 1.5, 0, 0, 0, 0]), (20, [0, 1e6, 0, 0, 0, 0]),
    (20, [None, 1, 0, 0, 0, 0]), (20, [0, 1, float('nan'), 0, 0, 0]), (20, [0, 1, 0, 2, 0, 0]),
    (21, None), (21, [['0123abcd', 0]]), (21, [['0123abcd', 0, 0, 0]]), (21, [['0', 0, 0]])])
def test_a_summary_with_an_invalid_field_is_refused(place, value):
    fields = json.loads(cluster_summary.encode(SUMMARY))
    fields[place] = value
    assert cluster_summary.decode(json.dumps(fields).encode()) is None


@given(st.one_of(st.binary(max_size=200), st.recursive(
    st.none() | st.integers() | st.floats() | st.text(max_size=5), lambda inner: st.lists(inner),
    max_leaves=30).map(lambda value: json.dumps(value).encode())))
def test_no_bytes_raise_an_error_when_decoded(payload):
    assert cluster_summary.decode(payload) is None


def test_the_clusters_file_holds_summaries_with_their_instants_and_links():
    known = Clusters('eu', {'us.ksu': HeardCluster(SUMMARY, 12.5)},
                     {'us.ksu': ClusterLink('us.ksu', 0.08, None, 0.0)}, ('us.ksu', 'us.ucsb'),
                     {'us.ksu': {'small': TimeForecast(0.03, None, 0.002)}},
                     {'us.ksu': {one.network: one for one in SUMMARY.paths}}, SUMMARY.ring)
    assert (known, None) == clusters.decode(clusters.encode(known, 'b'), 'b')
    assert (None, 'is from before this host was booted') == clusters.decode(
        clusters.encode(known, 'b'), 'c')


@pytest.mark.parametrize('data', [
    b'', b'{}', b'[]', b'{"format": 1, "boot": "b"}',
    b'{"format":1,"boot":"b","here":"x","others":[[1,"[]"]],"links":[]}'])
def test_a_file_that_is_no_clusters_file_has_a_fault(data):
    assert 'has no clusters, or only a part of them' == clusters.decode(data, 'b')[1]
