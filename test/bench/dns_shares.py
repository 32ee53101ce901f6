"""Shares of clients behind Unbound and BIND as Debian ships them: what survives a resolver.

    python test/bench/dns_shares.py [--lookups 4000] [--random 10] [--seed 1]

2 minutes. For each vector of shares, swift-lb-dns answers by `membership` and by `ordered`, and
a client asks either resolver so many times, each time for a name that the resolver can not have in
its cache: of a wildcard. A client connects to the first address that it is given.

Exits with 1 unless `membership` is within 3 percentage points of each share behind each resolver,
and `ordered`, which resolvers undo, is not.
"""
import argparse
import pathlib
import random
import socket
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import dns.message
from support.lb_dns import LbDns
from support.name_server import missing
from support.resolvers import BindResolver, Unbound

ZONE = 'lb.example.com'
MOST = 0.03             # of a share, absolute
AT_ONCE = 32            # lookups that a client waits for
RESOLVERS = {'Unbound': Unbound, 'BIND': BindResolver}
FIRST = [.43, .31, .26]     # of Figure 3 in the paper on Onedata


def vectors(count, rng):
    """Return the shares of the paper, and so many at random: 3 to 6, none more than a half."""
    found = [FIRST]
    while len(found) <= count:
        weights = [rng.uniform(1, 10) for _node in range(rng.randrange(3, 7))]
        if max(weights) <= sum(weights) / 2:
            found.append([round(weight / sum(weights), 4) for weight in weights])
    return found


def first_addresses(resolver, prefix, lookups, rng):
    """Return {address: times it came first}, and {address: times it came at all}.

    Ids are random, as clients' are: BIND turns its records round by them.
    """
    first, given, waiting = {}, {}, set()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.connect((resolver.ip, resolver.port))
        client.settimeout(5)
        asked = 0
        while asked < lookups or waiting:
            while asked < lookups and len(waiting) < AT_ONCE:
                number = rng.choice([one for one in rng.sample(range(65536), AT_ONCE + 1)
                                     if one not in waiting])
                query = dns.message.make_query(f'{prefix}{asked}.swift.{ZONE}', 'A', id=number)
                client.send(query.to_wire())
                waiting.add(number)
                asked += 1
            answer = dns.message.from_wire(client.recv(4096))
            waiting.remove(answer.id)
            found = [record.address for rrset in answer.answer for record in rrset]
            first[found[0]] = first.get(found[0], 0) + 1
            for address in found:
                given[address] = given.get(address, 0) + 1
    return first, given


def error(shares, counts):
    """Return the largest difference between a share and what came of it."""
    total = sum(counts.values())
    return max(abs(counts.get(address, 0) / total - share) for address, share in shares.items())


def main():
    """Print a line for each vector, mode and resolver."""
    args = arguments()
    if lacking := missing('unbound', 'named'):
        sys.exit(lacking)
    rng, wrong = random.Random(args.seed), []
    print(f'{"shares":36} {"mode":11} {"resolver":8} {"first in the answer":36} '
          f'{"off by":>7} {"in it: off by":>14}')
    for number, vector in enumerate(vectors(args.random, rng)):
        shares = {f'192.0.2.{node}': share for node, share in enumerate(vector, 1)}
        for mode in ('membership', 'ordered'):
            with LbDns(ZONE, shares, f'mode = {mode}') as server:
                wrong += measured(server, shares, mode, f'v{number}-', args.lookups, rng)
    print('\n'.join(wrong) or f'membership is within {100 * MOST:g} percentage points of each '
          'share behind either resolver; ordered is not')
    sys.exit(bool(wrong))


def measured(server, shares, mode, prefix, lookups, rng):
    """Print what comes through each resolver; return what should be otherwise."""
    wrong = []
    for name, kind in RESOLVERS.items():
        with kind(ZONE, [(server.ip, server.port)]) as resolver:
            first, given = first_addresses(resolver, prefix, lookups, rng)
        off = error(shares, first)
        print(f'{text(shares.values()):36} {mode:11} {name:8} '
              f'{text(first.get(one, 0) / lookups for one in shares):36} {off:7.3f} '
              f'{error(shares, given):14.4f}')
        uneven = max(shares.values()) - min(shares.values()) > 4 * MOST
        if (off > MOST) == (mode == 'membership') and (uneven or mode == 'membership'):
            wrong.append(f'{mode} behind {name}: off by {off:.3f} of {text(shares.values())}')
    return wrong


def text(numbers):
    """Return fractions as text."""
    return ' '.join(f'{number:.3f}'.removeprefix('0') for number in numbers)


def arguments():
    """Return what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('--lookups', type=int, default=4000)
    parser.add_argument('--random', type=int, default=10, help='vectors beside that of the paper')
    parser.add_argument('--seed', type=int, default=1)
    return parser.parse_args()


if __name__ == '__main__':
    main()
