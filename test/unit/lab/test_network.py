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


def test_numbers_of_nodes_and_proxies_go_on_in_the_next_region():
    spec = LabSpec(nodes=2, proxies=2, regions=2, agents=True)
    listed = network.servers(spec, ('198.18.1', '198.18.4'), memcached=True)
    second = {server.name: (server.ip, server.port) for server in listed if server.region == 2}
    assert second == {
        'account-2': ('198.18.4.2', 6202), 'container-2': ('198.18.4.2', 6201),
        'object-3': ('198.18.4.11', 6200), 'object-4': ('198.18.4.12', 6200),
        'proxy-3': ('198.18.4.1', 8080), 'proxy-4': ('198.18.4.1', 8081),
        'agent-3': ('198.18.4.101', 6209), 'agent-4': ('198.18.4.102', 6209),
        'memcached-2': ('198.18.4.2', 11211)}
    assert len(listed) == len({server.name for server in listed}) == 2 * len(second)


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
