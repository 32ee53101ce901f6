"""What goes over the wire to StatsD, through Swift's own clients and a real socket."""
import select
import socket

import pytest
from swift.common.utils import get_logger

from swift_lb import metrics
from swift_lb.metrics import (
    COUNTERS,
    GAUGES,
    INFO,
    TIMINGS,
    Metrics,
    gauge_sink,
    label,
    node_label,
)
from swift_lb.model import Node, NodeLoad, Snapshot

try:
    from swift.common.statsd_client import get_labeled_statsd_client
except ImportError:
    get_labeled_statsd_client = None  # before 2.36

labeled = pytest.mark.skipif(get_labeled_statsd_client is None,
                             reason='this Swift has no labeled StatsD client')
SDA = Node('127.0.0.2', 6200, 'sda')
SIX = Node('fe80::1:2', 6200, 'nvme0n1')


class Sink:
    """A UDP socket that StatsD clients send to."""

    def __init__(self, family=socket.AF_INET, ip='127.0.0.1'):
        self._socket = socket.socket(family, socket.SOCK_DGRAM)
        self._socket.bind((ip, 0))
        self.conf = {'log_statsd_host': ip, 'log_statsd_port': str(self._socket.getsockname()[1])}

    def lines(self):
        """Return the StatsD lines that came since the last call, sorted; do not wait for more."""
        lines = []
        while select.select([self._socket], [], [], 0)[0]:
            lines.extend(self._socket.recv(65536).decode().splitlines())
        return sorted(lines)

    def close(self):
        """Close the socket."""
        self._socket.close()


@pytest.fixture
def sink():
    """Return a Sink."""
    made = Sink()
    yield made
    made.close()


def legacy(conf):
    """Return Metrics that send dotted names through Swift's StatsD client, as a proxy does."""
    return Metrics(get_logger(conf, log_route='swift-lb-test-metrics', name='proxy-server',
                              statsd_tail_prefix='proxy-server'), None, None)


def with_labels(conf):
    """Return Metrics that send labels, in DogStatsD style, through Swift's labeled client."""
    return Metrics(None, get_labeled_statsd_client(dict(conf, statsd_label_mode='dogstatsd')), None)


COUNTED = [     # (counter, values of its labels, count, legacy name, labels)
    ('choices', ('lb_rlt', SDA), 2, 'choices.lb_rlt.127_0_0_2_6200_sda',
     'node:127_0_0_2_6200_sda,policy:lb_rlt'),
    ('choices', ('shuffle', SIX), 1, 'choices.shuffle.fe80__1_2_6200_nvme0n1',
     'node:fe80__1_2_6200_nvme0n1,policy:shuffle'),
    ('unknowns', ('lb_rlt', SIX), 1, 'unknowns.lb_rlt.fe80__1_2_6200_nvme0n1',
     'node:fe80__1_2_6200_nvme0n1,policy:lb_rlt'),
    *((name, (SDA,), 1, f'{name}.127_0_0_2_6200_sda', 'node:127_0_0_2_6200_sda')
      for name in ('errors', 'declined')),
    *((name, (SIX,), 1, f'{name}.fe80__1_2_6200_nvme0n1', 'node:fe80__1_2_6200_nvme0n1')
      for name in ('timeouts', 'hedges', 'hedge_wins')),
    *((name, (label('proxy-2'),), count, f'{name}.proxy_2', 'to:proxy_2')
      for name, count in (('delegated', 1), ('hop_us', 500), ('saved_us', 7000), ('lost_us', 0))),
    ('local', ('first',), 1, 'local.first', 'why:first'),
    ('delegation_failures', (label('proxy-3.a'), 'begun'), 1,
     'delegation_failures.proxy_3_a.begun', 'to:proxy_3_a,why:begun'),
    ('hops_refused', ('key',), 1, 'hops_refused.key', 'why:key'),
    ('shed', ('small',), 1, 'shed.small', 'content:small'),
    ('fetched', (label('us.ksu'), 'late'), 2, 'fetched.us_ksu.late', 'cluster:us_ksu,why:late'),
    ('redirected', (label('us.ksu'), 'early'), 1, 'redirected.us_ksu.early',
     'cluster:us_ksu,why:early'),
    ('cluster_stays', ('late', 'no_credit'), 1, 'cluster_stays.late.no_credit',
     'moment:late,why:no_credit'),
    ('cluster_saved_us', (label('us.ksu'),), 9, 'cluster_saved_us.us_ksu', 'cluster:us_ksu'),
    ('cluster_lost_us', (label('us.ksu'),), 9, 'cluster_lost_us.us_ksu', 'cluster:us_ksu'),
    ('cluster_failures', (label('us.ksu'), '404'), 1, 'cluster_failures.us_ksu.404',
     'cluster:us_ksu,why:404'),
    ('cluster_hedges', (label('us.ksu'), 'won'), 1, 'cluster_hedges.us_ksu.won',
     'cluster:us_ksu,outcome:won'),
    ('cluster_digests', (label('us.ksu'), 'pulled'), 1, 'cluster_digests.us_ksu.pulled',
     'cluster:us_ksu,outcome:pulled'),
    ('image_parts', ('D4', 'kept'), 2, 'image_parts.D4.kept', 'origin:kept,point:D4'),
    ('image_saved_us', ('point',), 9, 'image_saved_us.point', 'by:point'),
    ('image_refused', ('422',), 1, 'image_refused.422', 'status:422'),
    ('fallbacks', ('order',), 1, 'fallbacks.order', 'part:order'),
]


def count_all(counters):
    """Count all of COUNTED on the Metrics `counters`; counts above 1 come in two steps."""
    for name, labels, count, _legacy, _labels in COUNTED:
        if count > 1:
            counters.count(name, *labels, many=count - 1)
            count = 1
        counters.count(name, *labels, many=count)


def test_flush_sends_sums_of_counters_under_dotted_names(sink):
    assert set(COUNTERS) == {name for name, *_rest in COUNTED}
    counters = legacy(sink.conf)
    count_all(counters)
    assert [] == sink.lines()
    counters.flush()
    assert sorted(f'proxy-server.lb.{name}:{count}|c'
                  for _name, _values, count, name, _labels in COUNTED) == sink.lines()
    counters.flush()
    assert [] == sink.lines()


@labeled
def test_flush_sends_counters_with_labels(sink):
    counters = with_labels(sink.conf)
    count_all(counters)
    counters.flush()
    assert sorted(f'swift_proxy_server_lb_{name}:{count}|c|#{labels}'
                  for name, _values, count, _legacy, labels in COUNTED) == sink.lines()


def test_timing_is_sent_at_once_in_milliseconds(sink):
    legacy(sink.conf).timing('first_byte_time', 0.0125, SDA)
    assert ['proxy-server.lb.first_byte_time.127_0_0_2_6200_sda:12.5|ms'] == sink.lines()


@labeled
def test_timing_is_sent_with_labels(sink):
    with_labels(sink.conf).timing('first_byte_time', 0.0125, SIX)
    assert ['swift_proxy_server_lb_first_byte_time:12.5|ms|#node:fe80__1_2_6200_nvme0n1'] == (
        sink.lines())
    assert {'first_byte_time'} == set(TIMINGS)


def test_swifts_statsd_prefix_and_sample_rate_are_used(sink):
    made = legacy(dict(sink.conf, log_statsd_metric_prefix='east',
                       log_statsd_sample_rate_factor='0.0'))
    made.timing('first_byte_time', 1.0, SDA)
    assert [] == sink.lines()
    legacy(dict(sink.conf, log_statsd_metric_prefix='east')).timing('first_byte_time', 1.0, SDA)
    assert ['east.proxy-server.lb.first_byte_time.127_0_0_2_6200_sda:1000.0|ms'] == sink.lines()


def snapshot():
    """Return a Snapshot of SDA, which has been measured, and of SIX, which has not."""
    known = NodeLoad(in_flight=2, last_throughput=1234567.8, chunks=3)
    return Snapshot({SDA: known, SIX: NodeLoad()})


@pytest.mark.parametrize(('worker', 'end'), [(7, '.worker_7'), (None, '')])
@pytest.mark.parametrize(('options', 'prefix'), [
    ({}, ''), ({'log_statsd_metric_prefix': 'east'}, 'east.')])
def test_gauges_are_whole_numbers_named_by_worker_or_host(sink, worker, end, options, prefix):
    made = Metrics(None, None, gauge_sink(sink.conf | options))
    made.gauge(worker, Snapshot({}))
    assert [] == sink.lines()
    made.gauge(worker, snapshot())
    assert [f'{prefix}proxy-server.lb.{name}{end}:{value}|g' for name, value in (
        ('chunks.127_0_0_2_6200_sda', 3), ('chunks.fe80__1_2_6200_nvme0n1', 0),
        ('in_flight.127_0_0_2_6200_sda', 2), ('in_flight.fe80__1_2_6200_nvme0n1', 0),
        ('last_throughput.127_0_0_2_6200_sda', 1234568))] == sink.lines()
    assert {'chunks', 'in_flight', 'last_throughput'} == set(GAUGES)


def test_the_gauge_info_has_its_labels_in_its_name(sink):
    made = Metrics(None, None, gauge_sink(sink.conf), [('0.1.0', 'c3'), ('0.1.0', 'adaptive')])
    made.gauge(None, Snapshot({}))
    assert ['proxy-server.lb.info.0_1_0.adaptive:1|g',
            'proxy-server.lb.info.0_1_0.c3:1|g'] == sink.lines()
    assert {'info': ('version', 'policy')} == {name: labels for name, (labels, _) in INFO.items()}


def test_gauges_of_many_nodes_all_arrive(sink):
    nodes = {Node('10.0.0.1', 6200 + number, 'sda'): NodeLoad() for number in range(200)}
    Metrics(None, None, gauge_sink(sink.conf)).gauge(0, Snapshot(nodes))
    assert 400 == len(sink.lines())


def test_metrics_are_sent_to_an_ipv6_statsd_host():
    six = Sink(socket.AF_INET6, '::1')
    try:
        Metrics(None, None, gauge_sink(six.conf)).gauge(0, Snapshot({SDA: NodeLoad(chunks=1)}))
        made = legacy(six.conf)
        made.count('errors', SDA)
        made.flush()
        assert ['proxy-server.lb.chunks.127_0_0_2_6200_sda.worker_0:1|g',
                'proxy-server.lb.errors.127_0_0_2_6200_sda:1|c',
                'proxy-server.lb.in_flight.127_0_0_2_6200_sda.worker_0:0|g'] == six.lines()
    finally:
        six.close()


def test_without_a_statsd_host_nothing_is_sent():
    assert gauge_sink({}) is None
    made = Metrics(None, None, gauge_sink({}))
    count_all(made)
    made.timing('first_byte_time', 1.0, SDA)
    made.flush()
    made.gauge(0, snapshot())


def test_a_statsd_host_whose_name_resolves_later_is_found(sink, monkeypatch):
    def unresolved(*_arguments, **_keywords):
        raise socket.gaierror(-3, 'Temporary failure in name resolution')
    with monkeypatch.context() as no_dns:
        no_dns.setattr(metrics.socket, 'getaddrinfo', unresolved)
        made = Metrics(None, None, gauge_sink(dict(sink.conf, log_statsd_host='localhost')))
        with pytest.raises(socket.gaierror):
            made.gauge(0, snapshot())
    monkeypatch.setattr(socket, 'getaddrinfo', lambda host, port, *rest, **more: [
        (socket.AF_INET, socket.SOCK_DGRAM, 17, '', ('127.0.0.1', port))])
    for _ in range(metrics.FLUSHES_TO_LOOK_UP):  # it is not looked up again at every flush
        assert [] == sink.lines()
        made.gauge(0, snapshot())
    assert 5 == len(sink.lines())


@pytest.mark.parametrize(('node', 'label'), [
    (SDA, '127_0_0_2_6200_sda'),
    (Node('::1', 6200, 'sdb1'), '__1_6200_sdb1'),
    (Node('fe80::1%eth0', 6200, 'd-1.2'), 'fe80__1_eth0_6200_d_1_2'),
    (Node('10.0.0.1', 6200, 'a:b|c#d@e,f=g;h i'), '10_0_0_1_6200_a_b_c_d_e_f_g_h_i'),
    (Node('10.0.0.1', 6200, 'plattenger\u00e4t\u00b2'), '10_0_0_1_6200_plattenger_t_'),
    (Node('10.0.0.1', None, 'sda'), '10_0_0_1_None_sda'),
])
def test_a_node_label_has_only_characters_that_statsd_accepts(node, label):
    assert label == node_label(node)


