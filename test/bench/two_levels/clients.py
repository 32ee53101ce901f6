"""Clients that look up a name, and again when the answer's TTL ends: a program for support.load.

python clients.py '{"servers": [["127.64.0.101", 5300]], "name": "swift.lb.lab.test", ...}'

Each client has a resolver of its own, which queries one of the name's servers, keeps the answer for
its TTL, and returns the addresses in random order, as Unbound and BIND do; the client connects to
the first. Without servers the addresses are used round robin, one for each look-up.
"""
import itertools
import json
import random
import sys
from pathlib import Path
from typing import NamedTuple

if __name__ == '__main__':
    sys.path[0] = str(Path(__file__).resolve().parents[2])

import dns.asyncquery
import dns.exception
import dns.message
import uvloop
from support import load

from swift_lb.clock import monotonic

TIMEOUT = 1.0       # seconds until another server is asked


class Name(NamedTuple):
    """Where clients get the proxies' addresses: a DNS name and its servers, or round robin."""

    name: str
    port: int           # of the proxies: DNS knows addresses alone
    ttl: int            # seconds, of round robin
    servers: list = ()  # (ip, port); none: round robin


class Resolving(load.LoadClients):
    """Clients, each of which uses the first address of its DNS answer until the TTL ends."""

    def __init__(self, name, told, loop):
        super().__init__(told, loop)
        self._name, self._turns = name, itertools.cycle(map(tuple, told.addresses))
        self._chance = random.Random(told.seed)     # what is asked stays as it is without names
        self._kept = {}         # client -> ((ip, port), until when)

    async def address(self, number):
        """Return the (ip, port) to which client `number` sends its next request."""
        if number not in self._kept or monotonic() >= self._kept[number][1]:
            first, ttl = await self._looked_up()
            self._kept[number] = first, monotonic() + ttl
        return self._kept[number][0]

    async def _looked_up(self):
        """Return ((ip, port) that comes first in a new answer, its TTL in seconds)."""
        if not self._name.servers:
            return next(self._turns), self._name.ttl
        result = (await self._answer_of_dns()).answer[0]
        return (self._chance.choice([*result]).address, self._name.port), result.ttl

    async def _answer_of_dns(self):
        while True:
            query = dns.message.make_query(self._name.name, 'A')
            ip, port = self._chance.choice(self._name.servers)
            try:
                return await dns.asyncquery.udp(query, ip, TIMEOUT, port)
            except dns.exception.Timeout:
                continue


def main():
    """Generate the Load that standard input describes; the Name is an argument."""
    name = Name(**json.loads(sys.argv[1]))
    uvloop.run(load.main(lambda told, loop: Resolving(name, told, loop)))


if __name__ == '__main__':
    main()
