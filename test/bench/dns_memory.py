"""The memory of a DNS process over 72 hours of queries, in fast-forward.

    python test/bench/dns_memory.py [--hours 72] [--rate 20] [--seed 1]

Takes 5 minutes. Runs the Responder of a process with a clock that advances as fast as it can:
queries of all kinds from more and more resolvers, with cookies, mixed case and names that do not
exist, bursts of forged ones, and an Instruction each second, which changes each minute.

Exits with 1 if the process grows by more than 1 MiB from the first quarter to the last.
"""
import argparse
import gc
import ipaddress
import os
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import dns.edns
import dns.message
import psutil
from support.zone_options import zone_options

from swift_lb.clock import monotonic
from swift_lb.model import UP, NodeInstruction
from swift_lb.plan.decision import make_instruction
from swift_lb.zone.responder import Responder

MAX_GROWTH = 1 << 20          # bytes
NODES = [f'n{number}' for number in range(1, 5)]
TYPES = ('A', 'A', 'A', 'AAAA', 'HTTPS', 'NS', 'SOA', 'TXT', 'ANY', 'AXFR')


def instruction(number, rng):
    """Return an Instruction of generation `number`, which gives NODES random shares."""
    weights = [rng.uniform(1, 10) for _node in NODES]
    nodes = tuple(NodeInstruction(node, '', UP, 1.0, weight / max(weights), weight / sum(weights),
                                  1.0, 0.0) for node, weight in zip(NODES, weights, strict=True))
    return make_instruction(number, float('inf'), 'balanced', False, nodes, str(number))


def query(rng):
    """Return a DNS query at random, in wire format: in the zone or not, and of any of TYPES."""
    label = ''.join(rng.choice('abcdefghij') for _letter in range(6))
    name = rng.choice(['swift.lb.example.com', f'{label}.swift.lb.example.com',
                       f'{label}.lb.example.com', 'lb.example.com', f'{label}.example.org'])
    name = ''.join(letter.upper() if rng.random() < .3 else letter for letter in name)
    options = [dns.edns.GenericOption(10, rng.randbytes(rng.choice((8, 24))))
               ] if rng.random() < .3 else []
    return dns.message.make_query(name, rng.choice(TYPES), use_edns=0, options=options).to_wire()


def client(rng, hour):
    """Return the address, as text, of one of the 1,024 resolvers that ask in this hour.

    If `hour` is None, return any IPv4 address, as a forger would use."""
    if hour is None:
        return str(ipaddress.ip_address(rng.getrandbits(32)))
    return f'10.{hour % 256}.{rng.randrange(4)}.{rng.randrange(256)}'


def main():
    """Print the process's resident memory every 6 hours; exit with 1 if it grew too much."""
    args = arguments()
    rng, now, asked = random.Random(args.seed), 0.0, 0
    responder = Responder(zone_options(rrl_rate=200), 0.0, rng, lambda: now)
    queries = [query(rng) for _number in range(20_000)]
    resident, began = psutil.Process(os.getpid()).memory_info, monotonic()
    sizes = []
    for hour in range(args.hours):
        for second in range(3600):
            now = hour * 3600.0 + second
            responder.follow(instruction(hour * 60 + second // 60 + 1, rng)
                           if second % 60 == 0 else responder.instruction, now)
            rate = args.rate if second % 600 else 2000
            for number in range(rate):
                ip = client(rng, hour if rate == args.rate or number % 2 else None)
                data = queries[rng.randrange(len(queries))]
                if number % 20:
                    responder.udp(data, ip, now)
                else:
                    responder.tcp(data, ip)
            asked += rate
        responder.document(now)
        gc.collect()
        sizes.append(resident().rss)
        if hour % 6 == 5:
            print(f'{hour + 1:4} h  {sizes[-1] / 2**20:7.1f} MiB  {asked:12,} questions',
                  flush=True)
    quarter = max(1, len(sizes) // 4)
    grown = max(sizes[-quarter:]) - max(sizes[:quarter])
    print(f'grown by {grown / 2**20:.2f} MiB from the first quarter to the last; '
          f'{asked / (monotonic() - began):,.0f} questions a second')
    sys.exit(grown > MAX_GROWTH)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('--hours', type=int, default=72)
    parser.add_argument('--rate', type=int, default=20, help='questions a second')
    parser.add_argument('--seed', type=int, default=1)
    return parser.parse_args()


if __name__ == '__main__':
    main()
