"""One cluster at twice its capacity, the other one idle: the goodput with tier 4 and without.

    python test/bench/clusters spill [--seconds S] [--rounds N] [--link RTT,RATE]

Two labs in two sites, ksu with one storage node and ucsb with two. Each node serves SLOTS reads at
once, in SERVICE seconds on average: CAPACITY reads a second. Both have the same objects, in
containers that are immutable; tier 4 is off for that with X-Container-Meta-Lb-Clusters: none. Reads
come to ksu as a Poisson process, twice as many as its node can serve, for S seconds with and
without tier 4 in turn; a client leaves after DEADLINE seconds. The next run begins
when all queues are empty.

Goodput are the reads a second that came in the counted time, after SETTLING seconds, and were
answered 200 by the deadline. Prints it for each run. Exits with 1 if the mean goodput with tier 4
is below GOAL x that without, or below GOAL x CAPACITY, which a cluster alone has at best: without
tier 4 the queue can grow until every answer is late.
"""
import argparse
import statistics

from bench.clusters.stored import put
from support import load
from support.wide_area import sites_with_labs

from swift_lb.clock import monotonic, sleep
from swift_lb.clusters_file import read
from swift_lb.dispatch.clusters import alive
from swift_lb.lab.spec import LabSpec

SLOTS, SERVICE = 2, 0.1
CAPACITY = SLOTS / SERVICE      # so low that the node is the bottleneck, not the processor
DEADLINE, SETTLING = 1.0, 5.0       # seconds
SIZE, OBJECTS = 10_000, 20
CONTAINERS = {'off': 'none', 'on': 'ksu, ucsb'}     # tier 4: clusters that the container names
GOAL, PATIENCE = 1.8, 60.0


def prepare(labs):
    """Store the objects in both clusters, and read each once; wait until ksu has heard ucsb."""
    for lab in labs.values():
        url, token = lab.storage_url(), str(lab.token())
        for name, clusters in CONTAINERS.items():
            put(url, token, name, b'', {
                'X-Container-Read': '.r:*', 'X-Container-Meta-Lb-Clusters': clusters,
                'X-Container-Meta-Lb-Immutable': 'true'})
            for number in range(OBJECTS):
                put(url, token, f'{name}/{number}', b'x' * SIZE, {})
        for name in CONTAINERS:
            loaded(lab, name, 3.0, CAPACITY / 4)
    until = monotonic() + PATIENCE
    while not is_known(labs['ksu']):
        if monotonic() > until:
            raise SystemExit('clusters: ksu does not know times and bandwidth of ucsb')
        sleep(0.5)
    for lab in labs.values():
        for node in range(1, lab.spec.nodes + 1):
            lab.handicap(node=node, slots=SLOTS, mean=SERVICE)


def is_known(lab):
    """Return whether the lab knows how long a read of ucsb takes."""
    known, _fault = read(lab.directory / 'run' / 'clusters-1.json')
    return 'ucsb' in alive(known, monotonic()) and (
        known.links['ucsb'].bandwidth is not None and 'small' in known.times['ucsb'])


def loaded(lab, container, seconds, rate, seed=1):
    """Send `rate` reads a second to a lab's proxy for `seconds`; return the LoadOutcome."""
    ip, port = lab.endpoint.removeprefix('http://').split(':')
    path = lab.storage_url().removeprefix(lab.endpoint)
    return load.run(load.Load(
        [[ip, int(port)]], [f'{path}/{container}/{number}' for number in range(OBJECTS)], {},
        seconds, rate=rate, client_timeout=DEADLINE, seed=seed))


def goodput(lab, container, seconds, seed):
    """Return the reads a second that a lab answers in time, and the reasons of failures."""
    outcome = loaded(lab, container, SETTLING + seconds, 2 * CAPACITY, seed)
    good = [due for due, ended in outcome.answers
            if SETTLING <= due and ended - due <= DEADLINE]
    return len(good) / seconds, outcome.reasons


def drain(lab):
    """Wait until no read is at a node of the lab."""
    until = monotonic() + PATIENCE
    while any(one['in_service'] or one['queued'] for one in lab.served().values()):
        if monotonic() > until:
            raise SystemExit(f'clusters: reads are left at nodes of {lab.spec.name}')
        sleep(0.2)


def main(words):
    """Measure and print; return the exit status."""
    parser = argparse.ArgumentParser(prog='spill')
    parser.add_argument('--seconds', type=float, default=15.0, help='counted of a run')
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--link', default='80ms,20M', help='round trip, bits per second')
    args = parser.parse_args(words)
    rtt, rate = args.link.split(',')
    specs = [LabSpec(name=f'spill-{site}', site=site, nodes=nodes, replicas=nodes,
                     dispatch=True, log_level='WARNING')
             for site, nodes in (('ksu', 1), ('ucsb', 2))]
    results = {tier4: [] for tier4 in CONTAINERS}
    with sites_with_labs(f'[link ksu ucsb]\nrtt = {rtt}\nrate = {rate}\n', specs) as labs:
        prepare(labs)
        for number in range(args.rounds):
            for tier4 in sorted(CONTAINERS, reverse=number % 2):
                rate, reasons = goodput(labs['ksu'], tier4, args.seconds, number)
                results[tier4].append(rate)
                print(f'round {number + 1}, tier 4 {tier4:<4}{rate:>6.1f} reads/s in time of '
                      f'{2 * CAPACITY:.0f}; failures: {reasons}', flush=True)
                for lab in labs.values():
                    drain(lab)
    off, on = (statistics.mean(results[tier4]) for tier4 in ('off', 'on'))
    best = max(off, CAPACITY)
    print(f'goodput {on:.1f} reads/s with tier 4, {off:.1f} without, {CAPACITY:.0f} at best: '
          f'{on / best:.2f} x; the goal is {GOAL}')
    return int(on < GOAL * best)
