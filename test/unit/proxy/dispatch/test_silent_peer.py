"""A peer that hangs is waited for once: not again on another connection."""
import threading

import pytest
from support.client_env import env_of, request_of
from support.scripted_server import REPLY, ScriptedServer, read_head

from swift_lb.clock import monotonic
from swift_lb.proxy.dispatch.connection import Pool, SilentError
from swift_lb.proxy.dispatch.relay import Relay


def test_who_is_silent_on_a_kept_connection_is_not_asked_on_a_new_one():
    def script(connection, _number):
        read_head(connection)
        connection.sendall(REPLY)
        read_head(connection)
        silent.set()
        over.wait(60)

    def patience(_waited):
        if silent.is_set():
            raise SilentError('long enough')

    def ask():
        request = request_of(env_of())
        return relay.send(request, lambda: request.head('signed'), ('127.0.0.1', server.port), '',
                         patience, lambda _bytes: None)
    silent, over, relay = threading.Event(), threading.Event(), Relay(Pool(monotonic, 60.0))
    with ScriptedServer(script) as server:
        assert b'hello' == b''.join(ask())
        with pytest.raises(SilentError):
            ask()
        assert server.connections == 1
        over.set()
