"""Fixtures of the tests of dispatchers: a proxy, a peer, a relay, and a clock that a test sets."""
import pytest
from support.cluster_proxy import ClusterProxy
from support.dispatching_proxy import DispatchingProxy
from support.scripted_server import REPLY, ScriptedServer, always

from swift_lb import clock
from swift_lb.concurrency import spawn
from swift_lb.dispatch.containers import ContainerFacts
from swift_lb.proxy import dispatcher
from swift_lb.proxy.dispatch import cluster_reads, kept_elsewhere, renewals, warm
from swift_lb.proxy.dispatch.pool import Pool
from swift_lb.proxy.dispatch.relay import Relay
from swift_lb.proxy.dispatch.request import ClientRequest


class StillClock:
    """A clock in monotonic seconds that stands at `now`, which begins at the machine's time."""

    def __init__(self):
        self.now = clock.monotonic()

    def __call__(self):
        return self.now


@pytest.fixture(autouse=True)
def _ends_with_its_test(monkeypatch):
    """End the greenthreads of dispatchers with their test.

    One that lives on asks a port that may be the one of a later test's ScriptedServer by then.
    """
    begun = []
    for module in (dispatcher, kept_elsewhere, renewals, warm):
        monkeypatch.setattr(module, 'spawn', lambda *call: begun.append(spawn(*call)))
    yield
    for one in begun:
        one.kill()


@pytest.fixture
def still(monkeypatch):
    """Return the StillClock that replaces clock.monotonic() in dispatchers made from now on."""
    still_clock = StillClock()
    monkeypatch.setattr(clock, 'monotonic', still_clock)
    return still_clock


@pytest.fixture
def proxy(tmp_path):
    """Return a DispatchingProxy whose policy always delegates."""
    return DispatchingProxy(tmp_path)


@pytest.fixture
def peer(proxy):
    """Yield a ScriptedServer that answers `hello`, the only peer in the Instruction of `proxy`."""
    with ScriptedServer(always(REPLY)) as server:
        proxy.tell(server)
        yield server


class Asker:
    """Sends requests through one Relay; `bytes` counts the bytes of bodies that it passed on."""

    def __init__(self):
        self.pool, self.bytes = Pool(clock.monotonic, 60.0), 0
        self.relay = Relay(self.pool)

    def ask(self, server, env, on_wait=lambda _waited: None):
        """Send `env` to the ScriptedServer; return the Answer. on_wait(seconds) may raise."""
        return self.ask_at(('127.0.0.1', server.port), env, on_wait)

    def ask_at(self, address, env, on_wait=lambda _waited: None):
        """Send `env` to an address of a Pool; return the Answer."""
        self.request = ClientRequest(env)
        return self.relay.send(self.request, lambda: self.request.head('signed'), address, '',
                               on_wait, self.passed)

    def passed(self, count):
        """Add `count` bytes of a body to `bytes`."""
        self.bytes += count


@pytest.fixture
def asked():
    """Return an Asker."""
    return Asker()


@pytest.fixture
def facts(monkeypatch):
    """Return a list with the ContainerFacts of all containers: in ksu and ucsb."""
    known = [ContainerFacts(('ksu', 'ucsb'))]
    monkeypatch.setattr(cluster_reads, 'container_facts', lambda _env, _app: known[0])
    return known


@pytest.fixture
def make(tmp_path, facts):
    """Return a function that makes a ClusterProxy with a policy of clusters."""
    return lambda policy='always_fetch', **options: ClusterProxy(
        tmp_path, cluster_policy=policy, **options)
