"""Counts: why requests are served here, and the time that delegation costs and saves."""
from support.client_env import env_of
from support.dispatching_proxy import DispatchingProxy
from support.scripted_server import ScriptedServer, always, read_head
from unit.proxy.dispatch.test_dispatcher import LOADED

from swift_lb.dispatch.chooser import MOMENT


def test_requests_that_are_not_delegated_are_counted_by_reason(tmp_path, still):
    proxy = DispatchingProxy(tmp_path, 'adaptive')
    proxy.filter.served._first = 0
    proxy.ask()
    assert {'alone': 1} == proxy.local
    with ScriptedServer(always(LOADED)) as peer:        # 50 ms
        proxy.tell(peer)
        still.now += MOMENT
        proxy.ask()
        for _time in range(500):
            proxy.filter.served.curve.add(0, 0.1, still())
        proxy.report(0.05)
        still.now += MOMENT
        assert b'here' == proxy.ask(env_of('HEAD'))[2]
        assert b'hello' == proxy.ask()[2]
        proxy.report(0.05)
        proxy.ask(env_of(path='/recon/mem'))
    assert {'alone': 1, 'first': 1, 'light': 1, 'host': 1} == proxy.local
    proxy.tell()
    still.now += MOMENT
    proxy.ask()
    assert 2 == proxy.local['alone']


def test_the_time_of_a_hop_and_the_time_it_saved_are_counted(tmp_path, still):
    proxy = DispatchingProxy(tmp_path, 'adaptive')

    def answers(connection, _number):       # says that it took 1 ms, and comes after 5
        while read_head(connection):
            still.now += 0.005
            connection.sendall(LOADED)
    with ScriptedServer(answers) as peer:
        proxy.tell(peer)
        proxy.ask()
        for _time in range(500):
            proxy.filter.served.curve.add(0, 9.0, still())
        proxy.report(0.05)
        still.now += MOMENT
        assert b'hello' == proxy.ask()[2]
        result = proxy.times
        assert {'hop_us p0', 'saved_us p0'} == set(result)
        assert 4000 == result['hop_us p0']
        assert 8e6 <= result['saved_us p0'] <= 10e6
        assert b'hello' == proxy.ask(env_of('POST', body=b'what a client takes to send'))[2]
        assert result['saved_us p0'] == proxy.times['saved_us p0']
