"""Each decision is counted: why here, and what going elsewhere costs and saves."""
from support.client_env import env_of
from support.dispatching_proxy import Proxy
from support.scripted_server import ScriptedServer, always
from unit.proxy.dispatch.test_dispatcher import LOADED

from swift_lb.clock import monotonic, sleep
from swift_lb.dispatch.outlook import Load


def test_it_is_counted_why_a_request_is_served_here(tmp_path):
    proxy = Proxy(tmp_path, 'adaptive')
    proxy.filter.served._first = 0
    proxy.ask()
    assert {'alone': 1} == proxy.local
    now = monotonic()
    with ScriptedServer(always(LOADED)) as peer:        # 50 ms
        proxy.tell(peer)
        sleep(0.02)         # Chooser's MOMENT
        proxy.ask()
        for _time in range(500):
            proxy.filter.served.curve.add(0, 0.1, now)
        hears(proxy)
        sleep(0.02)
        assert b'here' == proxy.ask(env_of('HEAD'))[2]
        assert b'hello' == proxy.ask()[2]
        hears(proxy)
        proxy.ask(env_of(path='/recon/mem'))
    assert {'alone': 1, 'first': 1, 'light': 1, 'host': 1} == proxy.local
    proxy.tell()
    sleep(0.02)
    proxy.ask()
    assert 2 == proxy.local['alone']


def test_what_a_hop_costs_and_saves_is_counted(tmp_path):
    proxy = Proxy(tmp_path, 'adaptive')
    with ScriptedServer(always(LOADED)) as peer:        # which says that it took 1 ms
        proxy.tell(peer)
        proxy.ask()
        for _time in range(500):
            proxy.filter.served.curve.add(0, 9.0, monotonic())
        hears(proxy)
        sleep(0.02)
        since = monotonic()
        assert b'hello' == proxy.ask()[2]
        took = 1e6 * (monotonic() - since)
        found = proxy.times
        assert {'hop_us p0', 'saved_us p0'} == set(found)
        assert 0 <= found['hop_us p0'] <= took - 1000
        assert 8e6 <= found['saved_us p0'] <= 10e6
        assert b'hello' == proxy.ask(env_of('POST', body=b'what a client takes to send'))[2]
        assert found['saved_us p0'] == proxy.times['saved_us p0']


def hears(proxy):
    """Have the dispatcher hear of its first peer that it would answer in 50 ms."""
    chooser = proxy.filter.chooser
    chooser.ledger.of(chooser.view.peers[0]).outlook.heard(Load(0, 0.05, 0.0), 0, monotonic())
