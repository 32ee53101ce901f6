"""What swift-lb costs the request path, as ratios to Swift's own in the same run.

    python test/bench/cost.py

First the promised costs, on the book that eight workers of a host share, with `adaptive`, reports
and objects of three chunks: an order of three replicas, all of sort_nodes, and all that measures a
read of one chunk: begin, connected, head, first byte, chunk, end. The unit is Swift's own
sort_nodes, which shuffles three nodes, in the same run. The exit status is 1 if an order takes more
than ORDER of these, or sort_nodes and measuring together more than ALL.

A processor that repeats one of these is faster than one that does both in turn, as a proxy does: so
that is printed too, and the same with limits, the race of a hedged read and a node's report.

Then sort_nodes under each policy; whole reads without StatsD and with it, with the worker's own
book and with the host's; and the cost of counting a client's GET, from the call of the app to the
end of its body, without the work in between; each in turn with Swift's own code. Prints medians of
interleaved rounds. A real GET costs milliseconds; test/bench/throughput.py has that ratio.

The work of once a second is timed on a full book: attend(), during which no request can be served,
and reading the requests of the host from the book's file, as another process does.
"""
import random
import statistics
import sys
import tempfile
import warnings
from pathlib import Path

warnings.simplefilter('ignore')
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from support.proxy_app import NODES, application, policy_of, swift_dir  # noqa: E402

from swift_lb import shared_memory  # noqa: E402
from swift_lb.clock import monotonic  # noqa: E402
from swift_lb.load import table  # noqa: E402
from swift_lb.load.request_table import totals  # noqa: E402
from swift_lb.load.table import CAPACITY  # noqa: E402
from swift_lb.load.tail_time import CHUNK  # noqa: E402
from swift_lb.model import DeviceReport, Node  # noqa: E402
from swift_lb.policy import POLICIES  # noqa: E402
from swift_lb.proxy.hedging import HedgedRace  # noqa: E402
from swift_lb.proxy.nodes import MeasuredNode, MeasuredNodes, Primaries  # noqa: E402
from swift_lb.proxy.recorder import MeasuredPart  # noqa: E402
from swift_lb.wire.report import encode  # noqa: E402

ROUNDS, CALLS = 15, 2000
ATTENDS = 64        # calls of attend() on a full book: two rounds through it
WORKERS = 8         # that share the host's book
SHARED = ('adaptive', 'lb_rlt')     # policies also measured with it
PLAIN = "Swift's own"
ORDER, ALL = 7.0, 29.0  # x Swift's shuffle: the limits of an order, and of all together
REPORT = encode(DeviceReport(2, 0.010))
UNUSED_PORT = 18199     # UDP: no process of this host receives there


class Body:
    def __init__(self):
        self.chunks = [b'x' * 4096, b'']

    def peek(self, _amt):
        return self.chunks[0]

    def read(self, _amt):
        return self.chunks.pop(0)


class GivenNodes:
    """A stand-in for Swift's NodeIter: yields three replicas, and has three handoffs."""

    def __init__(self, ordered):
        self.primary_nodes, self.nodes_left = ordered, 2 * len(ordered)

    def __iter__(self):
        while self.primary_nodes:
            self.nodes_left -= 1
            yield self.primary_nodes.pop(0)


def node_dicts():
    """Return [node dict, as Swift's ring makes them, of each of 3 replicas]."""
    return [dict(zip(('ip', 'port', 'device', 'region', 'zone'), (*node, 1, 1), strict=True))
            for node in NODES]


def sort_nodes(app):
    """Return a function that orders 3 replicas once, on a fresh list as NodeIter makes it."""
    nodes, policy = node_dicts(), policy_of(0)
    return lambda: app.sort_nodes(list(nodes), policy=policy)


def order(app):
    """Return a function that orders 3 replicas once: snapshot, order and `chosen` of the book."""
    replicas = app.replicas
    book, policy, rng = replicas.book, replicas.policy_of(0), random.Random(1)
    nodes = [Node(*node) for node in NODES]

    def once():
        now = replicas.clock()
        best = policy.order(nodes, book.snapshot(nodes), now, rng)
        book.chosen(best[0], now, best[1:])
    return once


def body():
    """Read a whole body in pieces of 64 KiB, as Swift does."""
    whole = Body()
    while whole.read(65536):
        pass


def plain_read(app):
    """Return a function that orders 3 replicas and reads a body, without a measurement."""
    ordered = sort_nodes(app)

    def read():
        app.set_node_timing(ordered()[0], 0.001)
        body()
    return read


def measuring(app):
    """Return a function(one of Swift's node dicts): it reads a body of that node, and measures it.
    """
    recorder = app.recorder

    def read(given):
        node = MeasuredNode(given)
        begun = node.read = recorder.begin(node, 0, CHUNK)
        recorder.connected(node, begun, 0.001)
        recorder.head(begun)
        part = MeasuredPart(Body(), begun, 4096, True, recorder)
        while part.read(65536):
            pass
        recorder.ended(begun)
    return read


def measured_read(app):
    """Return a function that orders 3 replicas, reads a body, and measures the read."""
    ordered, read = sort_nodes(app), measuring(app)
    return lambda: read(ordered()[0])


def hedged_read(app):
    """Return a function that orders 3 replicas and reads, with limits, hedging and a load report.
    """
    replicas, recorder, ordered = app.replicas, app.recorder, sort_nodes(app)

    def read():
        given = GivenNodes(ordered())
        primaries = Primaries(given, app.error_limiter.is_limited)
        asked = MeasuredNodes(given, replicas.limits(primaries.decision, 0), primaries.left)
        asked.race = HedgedRace(recorder, CHUNK, primaries.spare)
        node = next(iter(asked))
        race, node.race = node.race, None
        begun = node.read = recorder.begin(node, 0, CHUNK)
        app.set_node_timing(node, 0.001)
        recorder.reported(begun, REPORT)
        recorder.head(begun)
        race.finished(node, True)
        part = MeasuredPart(Body(), begun, 4096, True, recorder)
        while part.read(65536):
            pass
        recorder.ended(begun)
    return read


def request(app):
    """Return a function that sends a GET to `app`, which only answers 200, and reads the body."""
    chunk = [b'x' * 4096]

    def respond(_env, start_response):
        start_response('200 OK', [])
        return iter(chunk)
    env = {'REQUEST_METHOD': 'GET', 'PATH_INFO': '/v1/a/c/o'}
    app.handle_request = lambda _req: respond

    def get():
        for _piece in app(dict(env), started):
            pass
    return get


def started(_status, _headers, _exc_info=None):
    """Ignore the arguments; it stands in for a server's start_response."""


def interleaved(functions):
    """Return {name: median seconds a call}; the functions take turns round by round."""
    times = {name: [] for name in functions}
    for _ in range(ROUNDS):
        for name, function in functions.items():
            begun = monotonic()
            for _ in range(CALLS):
                function()
            times[name].append((monotonic() - begun) / CALLS)
    return {name: statistics.median(seconds) for name, seconds in times.items()}


def sharing(directory, policy, path):
    """Return WORKERS applications with `policy` that share the book at `path`."""
    apps = [application(directory, lb_policy=policy, lb_book=path) for _ in range(WORKERS)]
    for app in apps:
        app.host_book.attend()
        app.replicas.book = app.recorder.book = app.host_book.book
        warm(app)
    return apps


def warmed(directory, policy, **conf):
    """Return swift-lb's application with `policy`, after it has measured every node."""
    app = application(directory, lb_policy=policy, **conf)
    warm(app)
    return app


def fails(_part, _fault=None):
    """Stand in for an app's fall_back(): end the bench with the exception being handled."""
    raise


def warm(app):
    """Let `app` measure every node, so that its orders use load reports and several chunks."""
    recorder = app.recorder
    app.replicas.fall_back = recorder.fall_back = fails
    hedged_read(app)()
    for node in NODES:
        begun = recorder.begin(dict(zip(('ip', 'port', 'device'), node, strict=True)), 0)
        recorder.reported(begun, REPORT)
        for _chunk in range(3):
            recorder.wait(begun)
            recorder.received(begun, 65536)
        recorder.ended(begun)


def attending(directory):
    """Return the median seconds of one attend() on a book of the host with CAPACITY devices."""
    host = application(directory, lb_policy='adaptive', lb_book=f'{directory}/full.book').host_book
    host.attend()
    for number in range(CAPACITY):
        host.book.begin(Node('127.0.0.1', 6200 + number, 'sd1'), monotonic()).complete()
    times = []
    for _ in range(ATTENDS):
        begun = monotonic()
        host.attend()
        times.append(monotonic() - begun)
    return statistics.median(times)


def looking(path):
    """Return {name: function that reads the requests' Totals in the book at `path`}, two ways."""
    kept_open, _alive = shared_memory.read_only(path, table.fault, table.SLOTS)

    def open_and_read():
        buffer, alive = shared_memory.read_only(path, table.fault, table.SLOTS)
        return totals(buffer, alive)
    return {'opened each time': open_and_read, 'kept open': lambda: totals(kept_open)}


def show(title, times):
    """Print {name: seconds} in us, and each divided by that of PLAIN, which is one of the names."""
    print(f'{title}   ratio to Swift')
    for name, seconds in times.items():
        print(f'  {name:<28} {seconds * 1e6:10.2f}   {seconds / times[PLAIN]:14.2f}')


def promised(ours, plain):
    """Return {step of a read: median seconds} of the app `ours`; PLAIN is Swift's app, `plain`."""
    given, read = node_dicts()[0], measuring(ours)
    times = interleaved({PLAIN: sort_nodes(plain), 'an order': order(ours),
                         'sort_nodes': sort_nodes(ours), 'body': body,
                         'measuring': lambda: read(given), 'in turn': measured_read(ours),
                         'hedged': hedged_read(ours)})
    reading = times.pop('body')
    times |= {name: times[name] - reading for name in ('measuring', 'in turn', 'hedged')}
    return times | {'both': times['sort_nodes'] + times['measuring']}


def holds(times):
    """Print `times`, a result of promised(); return whether its ratios keep ORDER and ALL."""
    unit = times[PLAIN]
    print("promised costs, 3 replicas     us a read   x Swift's shuffle   at most")
    for title, name, limit in (
            (PLAIN, PLAIN, ''), ('an order', 'an order', ORDER), ('sort_nodes', 'sort_nodes', ''),
            ('measuring', 'measuring', ''), ('sort_nodes + measuring', 'both', ALL),
            ('the two in turn', 'in turn', ''), ('... limits, race, report', 'hedged', '')):
        print(f'  {title:<28} {times[name] * 1e6:8.2f}   {times[name] / unit:17.2f}   {limit}')
    return times['an order'] <= ORDER * unit and times['both'] <= ALL * unit


def main():
    """Print the tables; return 1 if a limit of the design is exceeded, else 0."""
    with tempfile.TemporaryDirectory() as directory:
        swift_dir(directory)
        plain = application(directory, ours=False)
        apps = {policy: warmed(directory, policy) for policy in POLICIES}
        hosts = {f"{policy}, host's book": sharing(directory, policy, f'{directory}/{policy}.book')
                 for policy in SHARED}
        adaptive = hosts["adaptive, host's book"][0]
        times = promised(adaptive, plain)
        orders = interleaved({PLAIN: sort_nodes(plain)}
                             | {name: sort_nodes(app) for name, app in apps.items()}
                             | {name: sort_nodes(host[0]) for name, host in hosts.items()})
        with_statsd = warmed(directory, 'adaptive', log_statsd_host='127.0.0.1',
                      log_statsd_port=str(UNUSED_PORT))
        reads = interleaved({PLAIN: plain_read(plain),
                             'measured': measured_read(apps['adaptive']),
                             "measured, host's book": measured_read(adaptive),
                             'measured, with StatsD': measured_read(with_statsd)})
        requests = interleaved({PLAIN: request(plain),
                                'with a book of its own': request(apps['lb_rlt']),
                                "counted, host's book": request(
                                    hosts["lb_rlt, host's book"][0])})
        looks = interleaved(looking(f'{directory}/lb_rlt.book'))
        attended = attending(directory)
    kept = holds(times)
    show('sort_nodes, 3 replicas          us a call', orders)
    show('a whole read of one chunk       us a read', reads)
    show('a GET, with nothing behind it    us a GET', requests)
    counting = requests["counted, host's book"] - requests[PLAIN]
    print(f'counting costs {counting * 1e6:.2f} us a request; to look at the counts of {WORKERS} '
          'workers, ' + ', '.join(f'{name} {each * 1e6:.0f} us' for name, each in looks.items()))
    print(f'attending to {CAPACITY} devices takes {attended * 1e3:.2f} ms a second')
    return int(not kept or counting > 10e-6 or attended > 2e-3)


if __name__ == '__main__':
    sys.exit(main())
