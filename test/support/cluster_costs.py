"""What tier 4 costs a request, in microseconds of processor time of one worker.

Each case is a GET of an object through lb_dispatcher, in front of an app that does nothing. What is
asked of other clusters is answered by none, so the network is left out.
"""
import atexit
import itertools
import shutil
import statistics
import tempfile
import time
from pathlib import Path

from support.client_env import env_of
from support.cluster_proxy import NETWORK, VERSION, ClusterProxy
from support.dispatching_proxy import DispatchingProxy
from swift_lb import clusters_file
from swift_lb.clock import monotonic
from swift_lb.dispatch.containers import ContainerFacts
from swift_lb.dispatch.curve import Curve
from swift_lb.model import (
    ClientPath,
    ClusterLink,
    Clusters,
    ClusterSummary,
    HeardCluster,
    TimeForecast,
)

NOTHING, DECISION = 2.0, 40.0       # limits in us: nothing to gain; up to three clusters
ROUNDS, TIMES = 15, 1000
PATH = '/v1/AUTH_test/container/object'
PIECES = [b'x' * 65536]     # and the rest
ANSWERS = itertools.cycle([[*VERSION.items(), ('Content-Length', str(size))]
                           for size in range(70_000, 71_000)])
HEAD, LINK = 0.02, 0.01     # seconds until a head here; of a round trip to each other cluster
THERE = TimeForecast(0.005, 0.005, 0.001)       # sooner than here, but not surely
NONE = ContainerFacts(())


class SlowCurve(Curve):
    """A Curve that expects HEAD seconds, whatever it learns."""

    def expected(self, _in_flight, _now):
        """Return HEAD."""
        return HEAD


def app(_env, start_response):
    """Answer with 70000 bytes of an object and some more, another number each time."""
    start_response('200 OK', next(ANSWERS))
    return PIECES


def others(count):
    """Return the Clusters of which `count` others were heard just now."""
    names = [f'c{number}' for number in range(count)]
    summary = ClusterSummary('', 'n', 1, 1, 1.7e9, 60.0, 'http://ucsb.example', 1, 0.0, 0.0,
                             ('198.18.2.1:8080',), credits=(('ksu', 1e6),))
    path = ClientPath(NETWORK, 0.02, 1e8)
    return Clusters(
        'ksu', {name: HeardCluster(summary._replace(cluster=name), monotonic()) for name in names},
        {name: ClusterLink(name, LINK + number * 1e-4, 0.001, 0.0, 1e7, 1e5)
                for number, name in enumerate(names)}, tuple(names),
        {name: {'small': THERE} for name in names}, {name: {NETWORK: path} for name in names}, '')


def new_folder():
    """Return the Path of a new folder, which is removed when the program ends."""
    path = tempfile.mkdtemp(prefix='swift-lb-')
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return Path(path)


def proxy_of(count, facts):
    """Return a proxy that knows `count` other clusters, None: without [lb-cluster].

    `facts` are the ContainerFacts of the container.
    """
    where = new_folder()
    made = DispatchingProxy(where, 'tllb') if count is None else ClusterProxy(where)
    if count is not None:
        clusters_file.write(where / 'clusters', others(count))
    dispatcher, now = made.filter, monotonic()
    dispatcher.app = app
    dispatcher._choice._requests.fetch = lambda *_read: None
    dispatcher.chooser.follow()     # its nodes divide the credits
    dispatcher._begin(env_of())
    dispatcher.served.curve = SlowCurve()
    dispatcher._choice.router.containers.learn('/v1/AUTH_test/container', facts, now)
    return dispatcher


def microseconds(call, times=TIMES):
    """Return the microseconds of processor time of one `call()`, the median of ROUNDS of `times`.
    """
    results = []
    for _round in range(ROUNDS):
        begin = time.process_time()
        for _time in range(times):
            call()
        results.append((time.process_time() - begin) / times * 1e6)
    return statistics.median(results)


def request(count=None, facts=NONE, headers=()):
    """Return the us of a whole read through the filter, by a client with these headers."""
    dispatcher, asked = proxy_of(count, facts), env_of(path=PATH, raw=headers)
    return microseconds(lambda: dispatcher(dict(asked), lambda *_said: None))


def early(count, facts, headers=()):
    """Return the us of the decision before a read is served here."""
    return microseconds(early_decision(count, facts, headers))


def early_decision(count, facts, headers=()):
    """Return a function(): decides a read before it is served here, of another size each time."""
    dispatcher, asked = proxy_of(count, facts), env_of(path=PATH, raw=headers)
    reads, sizes = dispatcher._reads, itertools.count(70_000)

    def decide():
        env = dict(asked)
        dispatcher._choice.router.containers._sizes[PATH] = next(sizes)
        dispatcher._choice.early(env, reads.clusters_of(env))
    return decide


def named(count, **more):
    """Return the ContainerFacts of a container that names `count` other clusters."""
    return ContainerFacts(tuple(f'c{number}' for number in range(count)), **more)


def cases():
    """Yield (case, microseconds more than without [lb-cluster], their limit or None)."""
    without, follows = request(), (('X-Lb-Redirect', 'follow'),)
    for count in (1, 3):
        yield f'{count} known, container in none', request(count) - without, NOTHING
    for count in (1, 3):
        yield f'{count} may serve it, late', request(count, named(count)) - without, DECISION
    yield '3, late, client follows', request(3, named(3), follows) - without, None
    for count in (1, 3):
        yield f'{count} may serve it, early', early(count, named(count, immutable=True)), DECISION
    yield '3, early, client follows', early(3, named(3, immutable=True), follows), None
    yield '3, early, hedged, and late', request(3, named(3, immutable=True)) - without, None
