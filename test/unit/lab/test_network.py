"""Each lab has a loopback network of its own, on which all its ports are free."""
import socket

import pytest

from swift_lb.errors import LabError
from swift_lb.lab import network
from swift_lb.lab.spec import LabSpec

SPEC = LabSpec(nodes=2, proxies=2, replicas=2, port=18080)


def test_servers_have_fixed_addresses_in_the_labs_network():
    results = {server.name: (server.ip, server.port)
               for server in network.servers(SPEC, ('127.9.9',), memcached=True)}
    assert results == {
        'account': ('127.9.9.2', 6202), 'container': ('127.9.9.2', 6201),
        'object-1': ('127.9.9.11', 6200), 'object-2': ('127.9.9.12', 6200),
        'proxy-1': ('127.9.9.1', 18080), 'proxy-2': ('127.9.9.1', 18081),
        'memcached': ('127.9.9.2', 11211)}


def test_a_network_that_is_claimed_or_in_use_is_skipped():
    first = network.choose(SPEC, set())
    second = network.choose(SPEC, {first})
    assert second != first
    with socket.create_server((f'{second}.12', 6200)):
        assert network.choose(SPEC, {first}) not in (first, second)


def test_the_error_names_a_port_that_is_taken_on_every_network():
    with socket.create_server(('0.0.0.0', 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(LabError,
                           match=rf'port {port}.* is taken on every.*another with --port'):
            network.choose(LabSpec(nodes=2, proxies=2, replicas=2, port=port - 1), set())
