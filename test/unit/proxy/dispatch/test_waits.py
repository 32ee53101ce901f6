"""How long the proxy waits for a silent peer, by the peer's state and what it may have done."""
import threading
from math import inf

import pytest
from support.client_env import env_of
from support.scripted_server import REPLY, ScriptedServer, read_head

from swift_lb.model import CRITICAL, DISABLED, DRAINING, GONE, LATE, REJECTED, UP
from swift_lb.proxy.dispatch.connection import SilentError
from swift_lb.proxy.dispatch.delegation import longest_wait
from swift_lb.proxy.dispatch.request import ClientRequest

GET, COPY, PUT = env_of(), env_of('COPY'), env_of('PUT', body=b'hello')


@pytest.mark.parametrize(('state', 'env', 'begun', 'seconds'), [
    *((state, env, begun, inf) for state in (UP, REJECTED, CRITICAL, DRAINING)
      for env in (GET, COPY, PUT) for begun in (False, True)),
    (None, GET, False, 60.0), (None, PUT, True, 60.0),
    (LATE, GET, False, 0.0), (GONE, PUT, False, 0.0), (LATE, PUT, True, 10.0),
    (DISABLED, GET, False, 10.0), (DISABLED, PUT, False, 10.0),
    (DISABLED, PUT, True, 60.0), (DISABLED, COPY, False, 60.0)])
def test_the_longest_wait_depends_on_peer_state_and_request(state, env, begun, seconds):
    request = ClientRequest(env)
    request.sent, request.begun = True, begun
    assert longest_wait(state, request) == seconds


def test_silence_on_a_reused_connection_causes_no_retry(asked):
    def script(connection, _number):
        read_head(connection)
        connection.sendall(REPLY)
        read_head(connection)
        silent.set()
        over.wait(60)

    def on_wait(_waited):
        if silent.is_set():
            raise SilentError('long enough')
    silent, over = threading.Event(), threading.Event()
    with ScriptedServer(script) as server:
        assert b'hello' == b''.join(asked.ask(server, env_of(), on_wait))
        with pytest.raises(SilentError):
            asked.ask(server, env_of(), on_wait)
        assert server.connections == 1
        over.set()
