"""swift-lb-dns beside real agents: who is killed, drained or not there yet, is in no answer."""
import contextlib
import os

import pytest
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


def test_from_the_first_answer_on_all_are_in_and_then_who_is_killed_is_out():
    with cluster() as (agents, servers):
        agents.start()
        began = monotonic()
        while monotonic() - began < 6:
            for server in servers.values():
                assert addresses(server) == ALL
            sleep(0.05)
        agents.wait_for_agreement(agents.names)
        agents.kill('node-3')
        killed = monotonic()
        left = [servers['node-1'], servers['node-2']]
        wait_until(lambda: all(addresses(server) == ALL - {'192.0.2.3'} for server in left))
        assert monotonic() - killed <= GONE
        while monotonic() - killed < GONE + 3:      # and it stays out
            assert all(addresses(server) == ALL - {'192.0.2.3'} for server in left)
            sleep(0.1)


@pytest.mark.skipif(missing('unbound') is not None, reason=str(missing('unbound')))
def test_who_is_killed_leaves_the_caches_a_ttl_later():
    with cluster() as (agents, servers):
        agents.start()
        agents.wait_for_agreement(agents.names)
        with Unbound(ZONE, [(server.ip, server.port) for name, server in servers.items()
                            if name != 'node-3']) as resolver:
            assert addresses(resolver) == ALL
            agents.kill('node-3')
            killed = seen = monotonic()
            while monotonic() - killed < TTL + GONE + 3:
                if '192.0.2.3' in addresses(resolver):
                    seen = monotonic()
                sleep(0.05)
            assert seen - killed <= TTL + GONE


def test_who_is_drained_is_out_until_that_ends():
    with cluster() as (agents, servers):
        agents.start()
        agents.wait_for_agreement(agents.names)
        drained = agents.directory / 'node-2' / 'run' / 'instruction.json.drained'
        drained.touch()
        wait_until(lambda: all(addresses(server) == ALL - {'192.0.2.2'}
                               for server in servers.values()))
        os.unlink(drained)
        wait_until(lambda: all(addresses(server) == ALL for server in servers.values()))
        serials = {server.ask(ZONE, 'SOA').answer[0][0].serial for server in servers.values()}
        until = monotonic() + SOON
        while len(serials) > 1:     # of one generation, all nodes have the same
            assert monotonic() < until, serials
            serials = {server.ask(ZONE, 'SOA').answer[0][0].serial for server in servers.values()}
            sleep(0.05)
