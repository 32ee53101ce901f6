"""Every metric swift-lb emits, named once, and the object that emits them.

Counters and timings go through Swift's own StatsD clients, in the legacy style (names with dots)
and the labeled one (Swift >= 2.36). Gauges, which Swift's clients lack, go through the statsd
package to the same address. doc/metrics.md is held against the names below by a test.

Counters are summed here and sent once an interval: StatsD means a socket and a system call each,
which is no price to put on a request.
"""
import socket
from collections import Counter

import statsd

# name: (its labels, what is counted)
COUNTERS = {
    'choices': (('policy', 'node'), 'orders in which the node was put first'),
    'unknowns': (('policy', 'node'), 'reads sent to the node while it had no valid measure'),
    'errors': (('node',), 'refusals, broken connections and short bodies of the node'),
    'timeouts': (('node',), 'times the node let the proxy wait longer than conn_timeout or '
                            'node_timeout'),
    'declined': (('node',), 'reads that the node turned away because it had too much to do'),
    'hedges': (('node',), 'reads that the node was asked for too, as another had not answered'),
    'hedge_wins': (('node',), 'of these, answered by the node before the other'),
    'delegated': (('to',), 'requests that a peer has answered for this proxy'),
    'hop_us': (('to',), 'microseconds that the way to the peer took, of those'),
    'saved_us': (('to',), 'microseconds by which they came sooner than was expected here'),
    'lost_us': (('to',), 'microseconds by which they came later'),
    'local': (('why',), 'requests served here: first, light, alone, peer, unanswered or host'),
    'delegation_failures': (('to', 'why'), 'requests that the peer was asked for in vain'),
    'hops_refused': (('why',), 'requests of peers that were not taken: key, address, stale or '
                               'replayed'),
    'shed': (('content',), 'requests refused with 503, as all proxies had long queues'),
    'fallbacks': (('part',), 'times a part of swift-lb failed and Swift went on as plain Swift'),
}
TIMINGS = {'first_byte_time': 'request sent -> first body byte, by node'}
GAUGES = {
    'last_throughput': 'bytes per second of the last chunk read from the node',
    'chunks': 'chunks read with success from the node',
    'in_flight': 'reads sent to the node whose last byte has not come',
}

LEGACY = 'lb.'                      # proxy-server.lb.choices.<policy>.<node>
LABELED = 'swift_proxy_server_lb_'  # swift_proxy_server_lb_choices, labels policy and node

LOOK_UP_AGAIN = 60  # flushes


def node_label(node):
    """Return `node` in characters that every StatsD back end takes: 127_0_0_2_6200_sda."""
    return label(f'{node.ip}_{node.port}_{node.device}')


def label(text):
    """Return `text` in characters that every StatsD back end takes."""
    return ''.join(c if c.isascii() and c.isalnum() else '_' for c in text)


class Metrics:
    """Count on the request path, emit beside it."""

    def __init__(self, legacy, labeled, gauges):
        """Take Swift's two clients and a gauge sink, each None where there is none.

        `legacy` has update_stats(name, n) and timing(name, ms), `labeled` the same with labels=;
        `gauges` has pipeline(), as a client of the statsd package.
        """
        self._legacy, self._labeled, self._gauges = legacy, labeled, gauges
        self.emits = legacy is not None or labeled is not None
        self._counts = Counter()

    def count(self, name, *labels, many=1):
        """Add to the counter `name` with the values of its labels, as COUNTERS lists them."""
        self._counts[name, labels] += many

    def timing(self, name, seconds, node):
        """Emit one timing at once, subject to the sample rate of Swift's conf."""
        if self._legacy is not None:
            self._legacy.timing(f'{LEGACY}{name}.{node_label(node)}', seconds * 1000)
        if self._labeled is not None:
            self._labeled.timing(LABELED + name, seconds * 1000,
                                 labels={'node': node_label(node)})

    def flush(self):
        """Emit the counters and forget them."""
        counts, self._counts = self._counts, Counter()
        for (name, values), n in counts.items():
            texts = [value if isinstance(value, str) else node_label(value) for value in values]
            if self._legacy is not None:
                self._legacy.update_stats('.'.join((LEGACY + name, *texts)), n)
            if self._labeled is not None:
                labels = dict(zip(COUNTERS[name][0], texts, strict=True))
                self._labeled.update_stats(LABELED + name, n, labels=labels)

    def gauge(self, worker, snapshot):
        """Emit the gauges of every node in `snapshot`: the host's, or a `worker`'s own if not None.
        """
        if self._gauges is None:
            return
        pipeline = self._gauges.pipeline()
        if pipeline is None:
            return
        whose = '' if worker is None else f'.worker_{worker}'
        with pipeline as datagrams:
            for node, load in snapshot.loads.items():
                for name in GAUGES:
                    value = getattr(load, name)
                    if value is not None:
                        datagrams.gauge(
                            f'{LEGACY}{name}.{node_label(node)}{whose}', round(value))


class GaugeSink:
    """A client of the statsd package, opened when it is first needed.

    Not at start-up: as with Swift's own clients, a name that does not resolve yet must not keep a
    proxy from starting. Nor at every flush: where DNS is not green, a look-up blocks the worker.
    """

    def __init__(self, host, port, prefix):
        self._host, self._port, self._prefix = host, port, prefix
        self._client = None
        self._skip = 0  # flushes until the next look-up

    def pipeline(self):
        """Return a pipeline of the client, or None for a while after a look-up that failed.

        Raises socket.gaierror if a look-up fails.
        """
        if self._client is None:
            self._skip -= 1
            if self._skip > 0:
                return None
            self._skip = LOOK_UP_AGAIN
            found = socket.getaddrinfo(self._host, self._port, type=socket.SOCK_DGRAM)
            self._client = statsd.StatsClient(self._host, self._port, prefix=self._prefix,
                                              ipv6=found[0][0] == socket.AF_INET6)
        return self._client.pipeline()


def gauge_sink(conf):
    """Return a sink for gauges as Swift's `log_statsd_*` options in `conf` say, or None.

    Only for the legacy style: names with dots are the one form every back end knows gauges in.
    """
    host = conf.get('log_statsd_host')
    if not host:
        return None
    prefix = '.'.join(filter(None, (conf.get('log_statsd_metric_prefix'), 'proxy-server')))
    return GaugeSink(host, int(conf.get('log_statsd_port', 8125)), prefix)
