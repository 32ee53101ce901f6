"""Build the options of a small zone, Instructions for its proxies, and Responders."""
import random

import dns.message
import dns.name

from swift_lb.model import UP, NodeInstruction
from swift_lb.plan.decision import make_instruction
from swift_lb.service.dns.options import DnsOptions
from swift_lb.zone.responder import Responder

ZONE = 'lb.example.com.'
NAME = 'swift.lb.example.com.'          # resolves to the proxies
WILD = '*.swift.lb.example.com.'        # likewise
DEEP = 'x.y.z.lb.example.com.'          # likewise; the two names above it have no records
HOST, FOREIGN_HOST = 'ns1.lb.example.com.', 'ns.example.net.'
KEY = bytes(range(16))
WALL = 1_700_000_000.0                  # seconds, of the wall clock
CLIENT = '192.0.2.53'
SHARES = {'n1': 0.4, 'n2': 0.3, 'n3': 0.2, 'n4': 0.1}


def name_of(text):
    return dns.name.from_text(text)


def proxies(count, families=(4, 6)):
    """Return {node: (IPv4 or None, IPv6 or None)} of `count` nodes n1, n2, and so on."""
    return {f'n{number}': (f'192.0.2.{number}' if 4 in families else None,
                           f'2001:db8::{number:x}' if 6 in families else None)
            for number in range(1, count + 1)}


def zone_options(**changes):
    """Return DnsOptions of a zone with four proxies, no rate limit; `changes` replace fields."""
    return DnsOptions(**{
        'node': 'n1', 'zone': name_of(ZONE), 'names': (name_of(NAME), name_of(WILD), name_of(DEEP)),
        'ns': {name_of(HOST): ('192.0.2.1', '2001:db8::1'), name_of(FOREIGN_HOST): ()},
        'hostmaster': name_of('hostmaster.lb.example.com.'), 'proxies': proxies(4),
        'rrl_rate': 0, 'cookie_keys': (KEY,), 'nsid': b'n1', **changes})


def instruction(shares=None, generation=7, states=(), panic=False):
    """Return an Instruction: `shares` {node: fraction}, `states` {node: state}, by default UP."""
    shares, states = shares or SHARES, dict(states)
    parts = tuple(NodeInstruction(name, '', states.get(name, UP), 1.0, share, share, 1.0, 0.0)
                  for name, share in shares.items())
    return make_instruction(generation, 1e9, 'balanced', panic, parts, f'{generation} {states}')


def responder(told=None, phase=0.0, **changes):
    """Return a Responder of zone_options(**changes) that follows the Instruction `told`, if any."""
    result = Responder(zone_options(**changes), phase, random.Random(1), lambda: WALL)
    result.follow(told, 0.0)
    return result


def asked(server, query, ip=CLIENT, now=1.0, tcp=False):
    """Return a Responder's answer to `query`, bytes, as a dnspython message; None if dropped."""
    wire = server.tcp(query, ip) if tcp else server.udp(query, ip, now)
    # keyring=False: dnspython then parses TSIG records without verifying them.
    return None if wire is None else dns.message.from_wire(wire, keyring=False)
