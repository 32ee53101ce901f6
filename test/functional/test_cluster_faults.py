"""Faults of clusters and of the link between them: no read fails but those in transit.

Reads of the cluster ksu leave for ucsb, since ksu's disk is slow. When ucsb cannot serve them all
are served in ksu within 10 seconds; when it can again they leave within 10 seconds. Summaries are
sent every half second here, not every two seconds, so that a slow machine is no fault; with these,
`python test/bench/clusters faults` measures.
"""
import json
import math
import secrets
import socket
from contextlib import contextmanager
from functools import partial
from http.client import HTTPConnection
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest
from support.cluster import eventually
from support.cluster_faults import (
    HERE,
    PAGE_KEY,
    PROXIES,
    RTT,
    THERE,
    change,
    faulty_clusters,
    read,
    set_clocks,
)
from support.wide_area import missing

from swift_lb import clock
from swift_lb.conf_file import CLUSTER_PORT
from swift_lb.lab.wan import wan
from swift_lb.model import ClusterSummary
from swift_lb.wire import cluster_summary, hop, signature
from swift_lb.wire.cluster_summary import MAGIC
from swift_lb.wire.observations import PROBE

pytestmark = pytest.mark.skipif(reason := missing(), reason=str(reason))

LIMIT = 10.0        # seconds until reads are served here, and until they leave again
KEY, NEXT_KEY = 'all sites have the same key', 'the next key of all sites'
HOUR = 3600.0
NUMBERS = range(1, PROXIES + 1)


@pytest.fixture(scope='module')
def clusters():
    """FaultyClusters whose reads leave."""
    with faulty_clusters(interval=0.5) as made:
        assert made.seconds_until(THERE) < math.inf
        yield made


@contextmanager
def only_in_transit(clusters):
    """Let the body make each fault by a call of what it gets; other reads must not fail.

    In transit are reads that have begun before the end of a fault, and ended after its begin.
    """
    begun, faults = clock.monotonic(), []

    def happens(function, *arguments):
        since = clock.monotonic()
        function(*arguments)
        faults.append((since, clock.monotonic()))
    yield happens
    assert not [one for one in clusters.failures(begun) if not any(
        one.begun < until and one.ended > since for since, until in faults)]


def test_reads_come_home_from_a_link_that_is_cut_and_leave_when_it_is_joined(clusters):
    with only_in_transit(clusters) as happens:
        happens(wan.change, ['down'])
        assert clusters.seconds_until(HERE) <= LIMIT
        wan.change(['up'])
        assert clusters.seconds_until(THERE) <= LIMIT


def test_reads_come_home_while_a_round_trip_takes_ten_times_as_long(clusters):
    with only_in_transit(clusters) as happens:
        happens(wan.change, [f'rtt={10 * RTT}'])
        assert clusters.seconds_until(HERE) <= LIMIT
        wan.change([f'rtt={RTT}'])
        assert clusters.seconds_until(THERE) <= LIMIT


def test_reads_go_to_the_other_proxy_when_one_is_killed_and_home_when_both_are(clusters):
    lab = clusters.labs[THERE]
    with only_in_transit(clusters) as happens:
        happens(lab.stop_proxy, 1)
        assert clusters.seconds_until(THERE) <= LIMIT
        happens(lab.stop_proxy, 2)
        assert clusters.seconds_until(HERE) <= LIMIT
        for proxy in NUMBERS:
            lab.start_proxy(proxy)
        assert clusters.seconds_until(THERE) <= LIMIT


def test_reads_leave_without_one_speaker_there_and_come_home_without_an_agent_here(clusters):
    with only_in_transit(clusters) as happens:
        happens(clusters.labs[THERE].stop_agent, 1)
        assert clusters.seconds_until(THERE) <= LIMIT
        clusters.labs[THERE].start_agent(1)
        for proxy in NUMBERS:
            happens(clusters.labs[HERE].stop_agent, proxy)
        assert clusters.seconds_until(HERE) <= LIMIT
        for proxy in NUMBERS:
            clusters.labs[HERE].start_agent(proxy)
        assert clusters.seconds_until(THERE) <= LIMIT


@pytest.mark.parametrize(('site', 'wrong'), [(THERE, HOUR), (HERE, -HOUR)])
def test_reads_come_home_while_the_clocks_of_one_cluster_are_wrong(clusters, site, wrong):
    with only_in_transit(clusters) as happens:
        happens(set_clocks, clusters.labs[site], wrong)
        assert clusters.seconds_until(HERE) <= LIMIT
        happens(set_clocks, clusters.labs[site], 0.0)
        assert clusters.seconds_until(THERE) <= LIMIT


def marked(lab, number, key, sent_at):
    """Return why proxy `number` of a lab refuses a marker of HERE, None if it accepts that.

    The marker is signed with `key`, by a host whose clock shows `sent_at`.
    """
    address = urlsplit(lab.endpoints[number - 1]).netloc
    marker = hop.Hop(HERE, address, sent_at, secrets.token_hex(8), '0.0.0.0', '', 'http', '', False)
    connection = HTTPConnection(address, timeout=60)
    try:
        connection.request('GET', PROBE, headers={hop.CLUSTER_HEADER: hop.encode(
            key.encode(), marker, 'GET', PROBE, hop.CLUSTER_FOR)})
        answer = connection.getresponse()
        answer.read()
        return None if answer.status == 200 else answer.headers['X-Lb-Refused']
    finally:
        connection.close()


def are_marked(clusters, key, why):
    """Return whether all proxies of both clusters refuse markers with `key` for this reason."""
    return all(why == marked(lab, number, key, clock.wall())
               for lab in clusters.labs.values() for number in NUMBERS)


@pytest.mark.parametrize('wrong', [-HOUR, HOUR])
def test_requests_of_a_host_whose_clock_is_wrong_are_refused_before_they_are_served(clusters,
                                                                                   wrong):
    lab = clusters.labs[THERE]
    assert marked(lab, 1, KEY, clock.wall()) is None
    assert 'stale' == marked(lab, 1, KEY, clock.wall() + wrong)


def test_summaries_that_are_forged_or_have_a_wrong_time_are_counted_and_change_nothing(clusters):
    agent = urlsplit(clusters.labs[THERE].agents[0])
    relays = ('198.18.1.99:8080',)

    def refused():
        with urlopen(Request(f'{agent.geturl()}/v1/clusters', headers={'X-Lb-Key': PAGE_KEY}),
                     timeout=60) as answer:
            document = json.load(answer)
        assert all(list(relays) != one['relays'] for one in document['clusters'])
        return document['refused']
    for key, wrong, why in ((KEY, -HOUR, 'skewed'), (KEY, HOUR, 'skewed'),
                            ('a key of other clusters', 0.0, 'forged')):
        before = refused().get(why, 0)
        summary = ClusterSummary(HERE, 'n9', 1, 1, clock.wall() + wrong, 1.0, '', 9, 0.0, 0.0,
                                 relays)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.sendto(signature.sign(key.encode(), cluster_summary.encode(summary), MAGIC),
                          (agent.hostname, CLUSTER_PORT))
        assert eventually(lambda before=before, why=why: refused().get(why, 0) == before + 1)
    assert read(clusters.labs[THERE], 0).server == THERE


def test_reads_go_on_leaving_while_keys_are_replaced_in_one_agent_after_the_other(clusters):
    with only_in_transit(clusters) as happens:
        for keys, old in (({'key2': NEXT_KEY}, None), ({'key': NEXT_KEY, 'key2': KEY}, None),
                          ({'key2': None}, 'key')):
            for lab in clusters.labs.values():
                happens(partial(change, lab, **keys))
            assert eventually(lambda old=old: are_marked(clusters, NEXT_KEY, None)
                              and are_marked(clusters, KEY, old))
            assert clusters.seconds_until(THERE) <= LIMIT
