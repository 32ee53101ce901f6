"""Shares of clients, by the first address of an answer and by any, behind different resolvers.

python test/bench/dns_shares.py [--lookups 4000] [--vectors 14] [--seed 1]

3 minutes. For each vector of shares a client looks up --lookups names: through Unbound and BIND,
which shuffle the addresses of an answer, through dnsmasq, which does not, and from swift-lb-dns
itself. Each name is a new one below a wildcard, which no cache holds. Counted are the clients that
use the first address, as most do, and those that use any address of the answer at random.

Exits with 1 unless `membership` is within 3 percentage points of each share everywhere, by first
and by any address, and `ordered`, which resolvers undo, misses them behind Unbound and BIND.
"""
import argparse
import pathlib
import random
import socket
import sys
from collections import Counter

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import dns.message
from support.lb_dns import LbDnsServer
from support.name_server import missing
from support.resolvers import BindResolver, Dnsmasq, NoResolver, Unbound

ZONE = 'lb.example.com'
MAX_ERROR = 0.03             # of a share, absolute
AT_ONCE = 32            # lookups that a client waits for
SHUFFLING = {'Unbound': Unbound, 'BIND': BindResolver}
RESOLVERS = {**SHUFFLING, 'dnsmasq': Dnsmasq, 'none': NoResolver}
PAPER = (.43, .31, .26)     # of Figure 3 in the paper on Onedata
VECTORS = [PAPER, (.6, .3, .1), (.8, .15, .05), (.25,) * 4]
NODES = 10                  # of a vector at random


def vectors(count, rng):
    """Return `count` vectors of shares: VECTORS, then random ones."""
    weights = [[rng.uniform(1, 10) for _node in range(NODES)]
               for _vector in range(count - len(VECTORS))]
    return [*VECTORS, *([weight / sum(one) for weight in one] for one in weights)][:count]


def addresses_by(resolver, prefix, lookups, rng):
    """Return ({address: times it came first}, {address: mean times a random choice takes it}).

    Message ids are random, as clients' are, because BIND rotates its records by them.
    """
    first, any_place, waiting = Counter(), Counter(), set()
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
            addresses = [record.address for rrset in answer.answer for record in rrset]
            first[addresses[0]] += 1
            for address in addresses:
                any_place[address] += 1 / len(addresses)
    return first, any_place


def error(shares, counts):
    """Return the largest |fraction of `counts` - share| of the addresses of {address: share}."""
    return max(abs(counts[address] / counts.total() - share) for address, share in shares.items())


def main():
    """Print a line for each vector, mode and resolver."""
    args = arguments()
    if lacking := missing('unbound', 'named', 'dnsmasq'):
        sys.exit(lacking)
    rng, wrong = random.Random(args.seed), []
    print(f'{"mode":10} {"resolver":8} {"first":>7} {"any":>7}  off by, at most; shares')
    for number, vector in enumerate(vectors(args.vectors, rng)):
        shares = {f'192.0.2.{node}': share for node, share in enumerate(vector, 1)}
        for mode in ('membership', 'ordered') if vector == PAPER else ('membership',):
            with LbDnsServer(ZONE, shares, f'mode = {mode}') as server:
                wrong += measured(server, shares, mode, f'v{number}-', args.lookups, rng)
    print('\n'.join(wrong) or f'membership is within {100 * MAX_ERROR:g} percentage points of each '
          'share, by first and by any address; ordered is not, behind resolvers that shuffle')
    sys.exit(bool(wrong))


def measured(server, shares, mode, prefix, lookups, rng):
    """Print the error() through each resolver; return [sentence on one that is not as expected].
    """
    wrong = []
    for name, kind in (RESOLVERS if mode == 'membership' else SHUFFLING).items():
        with kind(ZONE, [(server.ip, server.port)]) as resolver:
            off = [error(shares, counts)
                   for counts in addresses_by(resolver, prefix, lookups, rng)]
        print(f'{mode:10} {name:8} {off[0]:7.3f} {off[1]:7.3f}  {text(shares.values())}',
              flush=True)
        if (max(off) > MAX_ERROR) == (mode == 'membership'):
            wrong.append(f'{mode}, {name}: off by {max(off):.3f} of {text(shares.values())}')
    return wrong


def text(numbers):
    """Return the fractions `numbers` as text, such as .400 .300."""
    return ' '.join(f'{number:.3f}'.removeprefix('0') for number in numbers)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('--lookups', type=int, default=4000)
    parser.add_argument('--vectors', type=int, default=14,
                        help='how many; from the fifth on of ten nodes, at random')
    parser.add_argument('--seed', type=int, default=1)
    return parser.parse_args()


if __name__ == '__main__':
    main()
