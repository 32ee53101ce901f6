"""swift-lb-dns with real agents: nodes that are killed or drained are in no answer."""
import contextlib

from support.agents import Agents
from support.lb_dns import LbDnsServer
from support.name_server import missing, wait_until
from support.resolvers import Unbound

from swift_lb.clock import monotonic, sleep

ZONE = 'lb.example.com'
NAME = f'swift.{ZONE}'
SHARES = dict.fromkeys(['192.0.2.1', '192.0.2.2', '192.0.2.3'], 1 / 3)     # of node-1 and on
ALL = set(SHARES)
TTL = 4             # seconds


@contextlib.contextmanager
def cluster():
    """Provide (Agents, 3 and not yet started, {node: LbDnsServer that reads its instruction})."""
    with Agents(3) as agents, contextlib.ExitStack() as stack:
        servers = {name: stack.enter_context(LbDnsServer(
            ZONE, SHARES, f'mode = all\nttl = {TTL}\nttl_min = 2', node=name,
            instruction=agents.directory / name / 'run' / 'instruction.json'))
            for name in agents.names}
        yield agents, servers


def addresses(server):
    return {record.address for rrset in server.ask(NAME).answer for record in rrset}


def test_answers_omit_nodes_that_are_drained_or_killed():
    with cluster() as (agents, servers):
        agents.start()
        check_all_nodes_are_in_from_the_start(servers.values())
        agents.wait_for_agreement(agents.names)
        check_drained_node_is_out_until_undrained(agents, servers.values())
        check_serials_are_equal(servers.values())
        check_killed_node_is_out_and_stays_out(agents, [servers['node-1'], servers['node-2']])


def check_all_nodes_are_in_from_the_start(servers):
    """For 5 s after the agents' start each answer has all nodes: without instruction and with."""
    began = monotonic()
    while monotonic() - began < 5:
        assert all(addresses(server) == ALL for server in servers)
        sleep(0.02)


def check_drained_node_is_out_until_undrained(agents, servers):
    """Answers omit node-2 while the file exists that POST /v1/drain creates, made here."""
    drained = agents.directory / 'node-2' / 'run' / 'instruction.json.drained'
    drained.touch()
    wait_until(lambda: all(addresses(server) == ALL - {'192.0.2.2'} for server in servers))
    drained.unlink()
    wait_until(lambda: all(addresses(server) == ALL for server in servers))


def check_serials_are_equal(servers):
    """The SOA serials of all servers become equal, since all get the same instruction."""
    wait_until(lambda: 1 == len({server.ask(ZONE, 'SOA').answer[0][0].serial
                                 for server in servers}))


def check_killed_node_is_out_and_stays_out(agents, servers):
    """A killed node-3 leaves all answers, and Unbound's cache when the TTL ends, for good."""
    with contextlib.ExitStack() as stack:
        resolver = None if missing('unbound') else stack.enter_context(
            Unbound(ZONE, [(server.ip, server.port) for server in servers]))
        assert resolver is None or addresses(resolver) == ALL
        agents.kill('node-3')
        wait_until(lambda: all('192.0.2.3' not in addresses(server) for server in servers))
        left = monotonic()
        if resolver:
            assert all(rrset.ttl <= TTL for rrset in resolver.ask(NAME).answer)
            wait_until(lambda: '192.0.2.3' not in addresses(resolver))
            servers = [*servers, resolver]
        while monotonic() - left < TTL + 2:
            assert all('192.0.2.3' not in addresses(server) for server in servers)
            sleep(0.02)
