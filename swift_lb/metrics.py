"""The metrics of the proxy, by name, and the object that emits them to StatsD.

Counters and timings go through Swift's own StatsD clients, in the legacy style (names with dots)
and the labeled one (Swift >= 2.36). Gauges, which Swift's clients lack, go through the statsd
package to the same address. A test compares doc/metrics.md with the names below.

Counters are summed and sent once an interval: a send is a system call, too slow for each request.
"""
import socket
from collections import Counter

import statsd

# name: (names of its labels, what is counted)
COUNTERS = {
    'choices': (('policy', 'node'), 'orders in which the node was put first'),
    'unknowns': (('policy', 'node'), 'reads sent to the node while it had no valid measure'),
    'errors': (('node',), 'refusals, broken connections and short bodies of the node'),
    'timeouts': (('node',), 'times the node let the proxy wait longer than conn_timeout or '
                            'node_timeout'),
    'declined': (('node',), 'reads that the node turned away because it had too much to do'),
    'hedges': (('node',), 'reads also sent to the node, as another had not answered'),
    'hedge_wins': (('node',), 'hedges that the node answered before the other'),
    'delegated': (('to',), 'requests that the peer answered for this proxy'),
    'hop_us': (('to',), 'microseconds that these spent on the way to the peer and back'),
    'saved_us': (('to',), 'microseconds by which answers came sooner than expected here'),
    'lost_us': (('to',), 'microseconds by which answers came later than expected here'),
    'local': (('why',), 'requests served here: first, light, alone, peer, cluster, unanswered, '
                        'host, owner or overloaded'),
    'delegation_failures': (('to', 'why'), 'requests that the peer did not answer'),
    'hops_refused': (('why',), 'requests of peers that were refused: key, address, stale or '
                               'replayed'),
    'shed': (('content',), 'requests refused with 503, as all proxies had long queues'),
    'fetched': (('cluster', 'why'), 'reads that another cluster answered through this proxy: '
                'early, late, absent here, or back: another version here'),
    'redirected': (('cluster', 'why'), 'reads whose client was sent to another cluster'),
    'cluster_stays': (('moment', 'why'), 'reads that could have left, and stayed: unknown, here, '
                                         'shut, no_credit, refused or no_answer'),
    'cluster_saved_us': (('cluster',), 'microseconds by which fetched reads came sooner'),
    'cluster_lost_us': (('cluster',), 'microseconds by which fetched reads came later'),
    'cluster_failures': (('cluster', 'why'), 'such reads that it did not answer: unanswered, or '
                                             'the status of its answer'),
    'cluster_hedges': (('cluster', 'outcome'), 'reads also sent to the cluster, as the head here '
                                               'was late: won if its head was first, else lost'),
    'cluster_digests': (('cluster', 'outcome'), 'questions which parts of images the cluster '
                                                'keeps: pulled, none or failed'),
    'image_parts': (('point', 'origin'), 'parts of images answered at the point D1 to D4: made or '
                                         'kept before'),
    'image_saved_us': (('by',), 'microseconds, as predicted, that parts of images took less: by '
                                'their point, compared with D4, or as results had been kept'),
    'image_refused': (('status',), 'requests for parts of images that were refused'),
    'fallbacks': (('part',), 'times a part of swift-lb failed and Swift went on as plain Swift'),
}
TIMINGS = {'first_byte_time': 'request sent -> first body byte, by node'}
GAUGES = {
    'last_throughput': 'bytes per second of the last chunk read from the node',
    'chunks': 'chunks read with success from the node',
    'in_flight': 'reads sent to the node whose last byte has not arrived',
}
INFO = {'info': (('version', 'policy'), '1, with the version and each policy of replicas')}

LEGACY = 'lb.'                      # proxy-server.lb.choices.<policy>.<node>
LABELED = 'swift_proxy_server_lb_'  # swift_proxy_server_lb_choices, labels policy and node

FLUSHES_TO_LOOK_UP = 60     # from a look-up that failed to the next


def node_label(node):
    """Return the Node `node` in characters that all StatsD back ends accept: 127_0_0_2_6200_sda."""
    return label(f'{node.ip}_{node.port}_{node.device}')


def label(text):
    """Return `text` with `_` for each character that some StatsD back end does not accept."""
    return ''.join(c if c.isascii() and c.isalnum() else '_' for c in text)


class Metrics:
    """Emits metrics to StatsD: timings and gauges at once, the sums of counters at flush()."""

    def __init__(self, legacy, labeled, gauges, info=()):
        """Take Swift's legacy and labeled StatsD clients and a GaugeSink; each may be None.

        `legacy` has update_stats(name, n) and timing(name, ms), `labeled` the same with labels=;
        `gauges` has pipeline(), which returns a pipeline of the statsd package, or None. `info` are
        [(version, policy)], the labels of the gauge `info`.
        """
        self._legacy, self._labeled, self._gauges = legacy, labeled, gauges
        self._info = ['.'.join(map(label, labels)) for labels in info]
        self.emits = legacy is not None or labeled is not None
        self._counts = Counter()

    def count(self, name, *labels, many=1):
        """Add `many` to the counter `name`; `labels` are its labels' values, in COUNTERS' order."""
        self._counts[name, labels] += many

    def timing(self, name, seconds, node):
        """Emit `seconds` as the timing `name` of `node` at once, if Swift's sample rate lets it."""
        if self._legacy is not None:
            self._legacy.timing(f'{LEGACY}{name}.{node_label(node)}', seconds * 1000)
        if self._labeled is not None:
            self._labeled.timing(LABELED + name, seconds * 1000, labels={'node': node_label(node)})

    def flush(self):
        """Emit the sums of all counters, and set the sums to 0."""
        counts, self._counts = self._counts, Counter()
        for (name, values), n in counts.items():
            texts = [value if isinstance(value, str) else node_label(value) for value in values]
            if self._legacy is not None:
                self._legacy.update_stats('.'.join((LEGACY + name, *texts)), n)
            if self._labeled is not None:
                labels = dict(zip(COUNTERS[name][0], texts, strict=True))
                self._labeled.update_stats(LABELED + name, n, labels=labels)

    def gauge(self, worker, snapshot):
        """Emit the gauge `info`, and those of all nodes in `snapshot`, the Snapshot of a book.

        `worker` is the number of the worker whose own book it is, None for the host's shared book.
        """
        if self._gauges is None:
            return
        pipeline = self._gauges.pipeline()
        if pipeline is None:
            return
        suffix = '' if worker is None else f'.worker_{worker}'
        with pipeline as datagrams:
            for labels in self._info:
                datagrams.gauge(f'{LEGACY}info.{labels}', 1)
            for node, load in snapshot.loads.items():
                for name in GAUGES:
                    value = getattr(load, name)
                    if value is not None:
                        datagrams.gauge(f'{LEGACY}{name}.{node_label(node)}{suffix}', round(value))


class GaugeSink:
    """Opens a client of the statsd package at the first flush of metrics.

    It does not do so at start-up, since a host name that does not resolve yet must not prevent the
    start of a proxy. If the look-up of the name fails, it is repeated only after FLUSHES_TO_LOOK_UP
    flushes, since it may block the worker.
    """

    def __init__(self, host, port, prefix):
        self._host, self._port, self._prefix = host, port, prefix
        self._client = None
        self._skip = 0  # flushes until the next look-up

    def pipeline(self):
        """Return a pipeline of the statsd client, or None between a failed look-up and the next.

        Raises gaierror if the look-up of the host's name fails.
        """
        if self._client is None:
            self._skip -= 1
            if self._skip > 0:
                return None
            self._skip = FLUSHES_TO_LOOK_UP
            addresses = socket.getaddrinfo(self._host, self._port, type=socket.SOCK_DGRAM)
            self._client = statsd.StatsClient(self._host, self._port, prefix=self._prefix,
                                              ipv6=addresses[0][0] == socket.AF_INET6)
        return self._client.pipeline()


def gauge_sink(conf):
    """Return a GaugeSink for Swift's `log_statsd_*` options in `conf`; None without a host in them.

    Gauges have names with dots and no labels: every StatsD back end accepts those.
    """
    host = conf.get('log_statsd_host')
    if not host:
        return None
    prefix = '.'.join(filter(None, (conf.get('log_statsd_metric_prefix'), 'proxy-server')))
    return GaugeSink(host, int(conf.get('log_statsd_port', 8125)), prefix)
