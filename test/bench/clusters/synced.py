"""Reads of a container whose copy in another cluster is up to a minute old: is one too old?

    python test/bench/clusters synced [--reads N] [--hold S] [--seed N]

Two labs, ksu and ucsb; needs root. Objects of a container in ksu are stored, overwritten and
deleted all the time; container-sync, which copies it to ucsb, is stopped for S seconds, 60 by
default, again and again. Clients read by way of both, half of them following redirects; the policy
of one cluster is always_redirect, that of the other always_fetch, and they are exchanged after each
round. Before each read the client asks the disk of its cluster what is there (synced_reads.py).

Prints how reads were answered, and counts reads that are older than their own cluster's disk, those
with two redirects, and transactions with more than one hop to another cluster by the proxies' logs.
Exits with 1 if there is one.
"""
import argparse
import hashlib
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from urllib.request import Request, urlopen

from bench.clusters.synced_changes import NAMES, Changes, HeldSync
from bench.clusters.synced_reads import is_less
from support.cluster import SwiftCluster
from support.dispatch_lab import lines
from support.wide_area import sites_with_labs

from swift_lb.clock import monotonic
from swift_lb.lab.spec import LabSpec

ORIGIN, COPY = SITES = 'ksu', 'ucsb'
FILE = '[link ksu ucsb]\nrtt = 20ms\n'
POLICIES = 'always_redirect', 'always_fetch'
CLIENTS, ROUND = 2, 1000                # processes, reads of each until the policies change
PART_POWER = 6
PAGE_KEY = 'the key of the status page'


def path_on_disk(name):
    """Return the path of an object at the object server of a lab with one disk."""
    digest = hashlib.md5(f'swift-lb/AUTH_test/c/{name}lab'.encode(), usedforsecurity=False)
    return f'/sd0/{digest.digest()[0] >> (8 - PART_POWER)}/AUTH_test/c/{name}'


def task_of(labs, seed):
    """Return the task of a client, as synced_reads.py takes it."""
    return {'seed': seed, 'reads': ROUND, 'names': NAMES, 'sites': {
        site: {'proxy': lab.endpoint.removeprefix('http://'),
               'disk': '{}:{}'.format(*lab.node_address(1)),
               'paths': {name: path_on_disk(name) for name in NAMES}}
        for site, lab in labs.items()}}


def round_of(labs, number, seed):
    """Let CLIENTS processes read; return (their rows, counts of what the dispatchers did)."""
    for site, policy in zip(SITES, POLICIES if number % 2 else POLICIES[::-1], strict=True):
        labs[site].restart_proxies({'filter:lb_dispatcher:cluster_policy': policy,
                                    'filter:lb_dispatcher:key': PAGE_KEY})
    program = str(Path(__file__).with_name('synced_reads.py'))
    clients = [subprocess.Popen([sys.executable, program, json.dumps(task_of(labs, seed + client))],
                                stdout=subprocess.PIPE) for client in range(CLIENTS)]
    rows = [row for client in clients for row in json.loads(client.communicate()[0])]
    counts = Counter()
    for site, lab in labs.items():
        page = Request(f'{lab.endpoint}/lb/dispatch', headers={'X-Lb-Status-Key': PAGE_KEY})
        with urlopen(page, timeout=60) as answer:
            counts.update({f'{site}: {name}': count for name, count
                           in json.load(answer)['counts'].items()
                           if name.startswith(('fetched', 'redirected', 'cluster_failures'))})
    return rows, counts


def faults_of(labs, rows):
    """Return ({fault: reads}, rows of the first one, how many of the `rows` are in proxies' logs).
    """
    older = [row for row in rows if is_less((row[3], row[4]), row[2]) and not (
        row[5] is not None and row[5] != row[2])]       # it has changed meanwhile
    logged = Counter(line.trans_id for lab in labs.values() for line in lines(
        lab.log('proxy-1').read_text(errors='replace'), '/v1/AUTH_test/c/') if line.method == 'GET')
    return {'older than the disk of its own cluster': len(older),
            'with two redirects': sum(row[6] > 1 for row in rows),
            'with two hops between clusters': sum(count > 2 for count in logged.values())}, older, (
                len({row[7] for row in rows} & logged.keys()))


def prepare(labs):
    """Make the container in both clusters, synced from ORIGIN; return the SwiftCluster there."""
    clusters = {site: SwiftCluster(lab) for site, lab in labs.items()}
    for site, cluster in clusters.items():
        to = {'X_Container_Sync_To': f'//swift-lb/{COPY}/AUTH_test/c'} if site == ORIGIN else {}
        cluster.put('/c', X_Container_Read='.r:*', X_Container_Sync_Key='of both',
                    X_Container_Meta_Lb_Clusters=', '.join(SITES), **to)
    return clusters[ORIGIN]


def main(words):
    """Read and print; return the exit status."""
    parser = argparse.ArgumentParser(prog='synced')
    parser.add_argument('--reads', type=int, default=100_000)
    parser.add_argument('--hold', type=float, default=60.0, help='seconds (default: 60)')
    parser.add_argument('--seed', type=int, default=1)
    args = parser.parse_args(words)
    specs = [LabSpec(name=f'synced-{site}', site=site, nodes=1, replicas=1, dispatch=True,
                     sync=True) for site in SITES]
    rows, counts = [], Counter()
    with sites_with_labs(FILE, specs) as labs:
        begun = monotonic()
        changes, sync = Changes(prepare(labs), args.seed), HeldSync(labs[ORIGIN], args.hold)
        for name in NAMES:
            changes.change(name)
        for thread in (changes, sync):
            thread.start()
        while len(rows) < args.reads:
            more, done = round_of(labs, len(rows) // (CLIENTS * ROUND), args.seed + len(rows))
            rows += more
            counts += done
        seconds = monotonic() - begun
        faults, older, logged = faults_of(labs, rows)
    print(f'{len(rows)} reads in {seconds:.0f} s; sync was held {sync.held} times for '
          f'{args.hold:.0f} s; {changes.made} changes; {logged} reads are in the logs')
    for name, count in sorted(counts.items()):
        print(f'{count:8d} {name}')
    for name, count in faults.items():
        print(f'{count:8d} reads {name}')
    for row in older[:5]:
        print(*row)
    return int(any(faults.values()))
