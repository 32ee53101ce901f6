"""What an operator sees of the proxy: StatsD in both styles, the status page, the log."""
import contextlib
import re
import socket
from collections import Counter

import pytest
import swift

from swift_lb.clock import monotonic
from swift_lb.metrics import COUNTERS, GAUGES, INFO, TIMINGS

LABELED = tuple(int(part) for part in swift.__version__.split('.')[:2]) >= (2, 36)
NODE = r'127_\d+_\d+_\d+_6200_sd0'


@pytest.fixture
def statsd():
    """A UDP socket that stands in for a StatsD server."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(('127.0.0.1', 0))
        server.settimeout(0.5)
        yield server


def lines(server, enough):
    """Return the StatsD lines that arrive until `enough(lines)` holds, or for a minute."""
    arrived, until = [], monotonic() + 60
    while monotonic() < until and not enough(arrived):
        with contextlib.suppress(TimeoutError):
            arrived += server.recv(65536).decode().split('\n')
    return arrived


def test_statsd_gets_metrics_with_dotted_names_and_with_labels(healthy, quick, statsd):
    healthy.put('/c/o', b'x' * 100_000)
    healthy.lab.handicap(node=1, hang=True, methods='GET')
    healthy.lab.handicap(node=2, fail=1, methods='GET')
    # Nodes 1 and 2 are never measured, and node 3 by the first read: the second asks all three.
    healthy.restart(lb_policy='lb_rlt', lb_unmeasured='first',
                    **quick | {'DEFAULT:log_statsd_host': '127.0.0.1',
                               'DEFAULT:log_statsd_port': str(statsd.getsockname()[1]),
                               'DEFAULT:statsd_label_mode': 'dogstatsd'})
    for _ in range(2):
        assert healthy.ask('/c/o').status == 200
    expected = [rf'proxy-server\.lb\.choices\.lb_rlt\.{NODE}:\d+\|c$',
                rf'proxy-server\.lb\.unknowns\.lb_rlt\.{NODE}:\d+\|c$',
                rf'proxy-server\.lb\.errors\.{NODE}:\d+\|c$',
                rf'proxy-server\.lb\.timeouts\.{NODE}:\d+\|c$',
                rf'proxy-server\.lb\.first_byte_time\.{NODE}:[\d.]+\|ms$',
                r'proxy-server\.lb\.info\.\w+\.lb_rlt:1\|g$',
                *(rf'proxy-server\.lb\.{name}\.{NODE}:\d+\|g$' for name in GAUGES)]
    if LABELED:
        expected += [
            rf'swift_proxy_server_lb_choices:\d+\|c\|#node:{NODE},policy:lb_rlt$',
            rf'swift_proxy_server_lb_errors:\d+\|c\|#node:{NODE}$',
            rf'swift_proxy_server_lb_first_byte_time:[\d.]+\|ms\|#node:{NODE}$']
    def missing(arrived):
        return [pattern for pattern in expected
                if not any(re.match(pattern, line) for line in arrived)]
    arrived = lines(statsd, lambda arrived: not missing(arrived))
    ours = [line for line in arrived if '.lb.' in line or '_lb_' in line]
    assert [] == missing(arrived), ours
    names = {re.match(r'proxy-server\.lb\.(\w+)|swift_proxy_server_lb_(\w+)', line)[0]
             .split('lb', 1)[1].lstrip('._') for line in ours}
    assert names <= {*COUNTERS, *TIMINGS, *GAUGES, *INFO}


def test_statsd_gets_each_gauge_at_most_once_a_second(healthy, quick, statsd):
    healthy.put('/c/o', b'x')
    healthy.restart(**quick | {'DEFAULT:log_statsd_host': '127.0.0.1',
                               'DEFAULT:log_statsd_port': str(statsd.getsockname()[1])})
    begun = monotonic()
    for _ in range(10):
        healthy.ask('/c/o')

    def per_gauge(arrived):
        return Counter(line.partition(':')[0] for line in arrived if line.endswith('|g'))
    arrived = lines(statsd, lambda arrived: max(per_gauge(arrived).values(), default=0) > 1)
    assert 2 <= max(per_gauge(arrived).values()) <= monotonic() - begun + 1
