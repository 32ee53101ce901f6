"""swift-lb-dns beside real agents: who is killed, drained or not there yet, is in no answer."""
import contextlib

from support.agents import Agents
from support.lb_dns import LbDns
from support.name_server import missing
from support.resolvers import Unbound

from swift_lb.clock import monotonic, sleep

ZONE = 'lb.example.com'
NAME = f'swift.{ZONE}'
SHARES = dict.fromkeys(['192.0.2.1', '192.0.2.2', '192.0.2.3'], 1 / 3)     # of node-1 and on
ALL = set(SHARES)
TTL = 4             # seconds
GONE = 5.0          # seconds in which who is killed is in no answer
SOON = 10.0


@contextlib.contextmanager
def cluster():
    """Three agents that are not started, and a DNS service beside each."""
    with Agents(3) as agents, contextlib.ExitStack() as stack:
        servers = {name: stack.enter_context(LbDns(
            ZONE, SHARES, f'mode = all\nttl = {TTL}\nttl_min = 2', node=name,
            instruction=agents.directory / name / 'run' / 'instruction.json'))
            for name in agents.names}
        yield agents, servers


def addresses(server):
    """Return the addresses that a server has for the name."""
    return {record.address for rrset in server.ask(NAME).answer for record in rrset}


def wait_until(holds):
    """Wait until `holds()`."""
    until = monotonic() + SOON
    while not holds():
        assert monotonic() < until
        sleep(0.05)


def test_dns_follows_agents_from_start_to_a_nodes_end():
    with cluster() as (agents, servers):
        agents.start()
        all_are_in_from_the_first_answer_on(servers.values())
        agents.wait_for_agreement(agents.names)
        who_is_drained_is_out_until_that_ends(agents, servers.values())
        all_have_the_same_serial(servers.values())
        who_is_killed_is_out_and_stays_out(agents, [servers['node-1'], servers['node-2']])


def all_are_in_from_the_first_answer_on(servers):
    """Until there is a plan, and while there is a first one."""
    began = monotonic()
    while monotonic() - began < 5:
        assert all(addresses(server) == ALL for server in servers)
        sleep(0.02)


def who_is_drained_is_out_until_that_ends(agents, servers):
    """The file is what POST /v1/drain makes."""
    drained = agents.directory / 'node-2' / 'run' / 'instruction.json.drained'
    drained.touch()
    wait_until(lambda: all(addresses(server) == ALL - {'192.0.2.2'} for server in servers))
    drained.unlink()
    wait_until(lambda: all(addresses(server) == ALL for server in servers))


def all_have_the_same_serial(servers):
    """As soon as all have the same instruction."""
    wait_until(lambda: 1 == len({server.ask(ZONE, 'SOA').answer[0][0].serial
                                 for server in servers}))


def who_is_killed_is_out_and_stays_out(agents, servers):
    """Of all answers, and a TTL later of a resolver that keeps them."""
    with contextlib.ExitStack() as stack:
        resolver = None if missing('unbound') else stack.enter_context(
            Unbound(ZONE, [(server.ip, server.port) for server in servers]))
        assert resolver is None or addresses(resolver) == ALL
        agents.kill('node-3')
        killed = told = kept = monotonic()
        while monotonic() - killed < TTL + GONE + 2:
            if any('192.0.2.3' in addresses(server) for server in servers):
                told = monotonic()
            if resolver and '192.0.2.3' in addresses(resolver):
                kept = monotonic()
            sleep(0.02)
        assert told - killed <= GONE
        assert kept - killed <= TTL + GONE
