"""A resolver that asks during a flood of forged questions gets all answers."""
import random

import dns.message
import dns.query
import pytest
from support.flood import flood
from support.lb_dns import LbDnsServer

from swift_lb.clock import sleep

ZONE = 'lb.example.com'
NAME = f'swift.{ZONE}'
SHARES = {'192.0.2.1': .43, '192.0.2.2': .31, '192.0.2.3': .26}
RATE, LONGEST = 20_000, 300.0      # queries a second; seconds, if the test did not end it
ASKED = 100
RESOLVER = '127.50.0.9'
FORGED = {
    'its own address': [RESOLVER] * 16,
    'addresses of its network': [f'127.50.0.{number}' for number in range(1, 200)],
    'addresses from everywhere': [
        f'127.{rng.randrange(60, 200)}.{rng.randrange(256)}.{rng.randrange(1, 255)}'
        for rng in [random.Random(1)] for _number in range(400)]}


@pytest.mark.parametrize('sources', FORGED.values(), ids=FORGED)
def test_a_resolver_is_answered_during_a_flood_of_queries(sources):
    with LbDnsServer(ZONE, SHARES, 'rrl_exempt = 192.0.2.0/24') as server:
        forger = flood(server.ip, server.port, NAME, RATE, LONGEST, sources)
        by_tcp = 0
        for _question in range(ASKED):
            answer, tcp = dns.query.udp_with_fallback(
                dns.message.make_query(NAME, 'A'), server.ip, 30.0, server.port, RESOLVER,
                ignore_unexpected=True)
            assert len(answer.answer[0]) == 2
            by_tcp += tcp
            sleep(0.02)
        assert forger.poll() is None
        forger.terminate()
        sent = float(forger.communicate(timeout=60)[0])
    assert sent > 0.1 * RATE        # a busy machine sends fewer
    # A resolver in the network of the forged addresses has to use TCP; others need not.
    assert (by_tcp > 0) == (sources is not FORGED['addresses from everywhere'])
