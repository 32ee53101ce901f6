"""The server's choice among all points beside each point alone, in 12 cells; needs root.

    python test/bench/chains cells [--seconds S] [--rounds N] [--cells WORDS] [--out DIR]

A Swift with one decoder is in the site ucsb, a client in ksu; the round trip is RTT. Parts of
512x512 pixels at random places of gray images of 2048x2048; the client has overviews, nothing is
kept at the server. A cell is

    bandwidth       2, 20 or 200 Mbit/s
    client          native, or slow: it sleeps seven times as long as its own work took
    server          idle, or loaded: clients of its own site keep the decoder some BUSY busy

In each round, a client for each policy asks for the same part: for D1, D2, D3, D4 alone, and for
all. Each client has connections of its own, and measures its way and its decoder by itself. A point
alone that is far slower than another one is asked no more.

Prints mean milliseconds from the request until the client has its pixels, and the choice over the
best point alone, with its standard error; below, what was predicted, by the terms data, server, net
and client, and the client's own work as measured. Exits with 1 if in a cell the choice is over GOAL
x the best point by more than two standard errors, or if one point alone is within GOAL x the best
in all cells. With --out, writes report.html and summary.md with the drawing there. All cells take
some ten minutes.
"""
import argparse
import math
import socket
import statistics
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from bench.chains.cell_clients import CHOICE, LOADERS, POLICIES, SIDE, Clients, Load
from bench.chains.cell_picture import section
from bench.clusters.stored import put
from support.jpeg2000 import encoded
from support.wide_area import missing, sites_with_labs

from swift_lb.chains.chain import POINTS
from swift_lb.clock import sleep
from swift_lb.experiment.report import write
from swift_lb.lab.conf import image_socket
from swift_lb.lab.spec import LabSpec
from swift_lb.lab.wan import wan
from swift_lb.wire.image_job import HEAD, lengths, message_of, pack

RTT = '20ms'
BANDWIDTHS = '2M', '20M', '200M'        # bits per second
SLOWNESS = {'native': 1, 'slow': 8}
LOADS = {'idle': False, 'loaded': True}
CELLS = [f'{rate} {client} {load}' for load in LOADS for rate in BANDWIDTHS for client in SLOWNESS]
IMAGES = 3
GOAL = 1.05
BUSY, PAUSE = 0.75, 0.1                 # of the decoder; first mean seconds of a load's clients
LOOKS, EVERY = 60, 0.05                 # at the decoder; seconds
GAP = 0.1                               # mean seconds before a request at a loaded server


class CellResult(NamedTuple):
    """What was measured in a cell."""

    means: dict         # policy: mean seconds
    errors: dict        # policy: standard error of that
    counts: dict        # policy: how many parts
    chosen: dict        # point: how often the server has chosen it
    best: str           # the best point alone
    ratio: float        # of the choice to that
    error: float        # standard error of the ratio, from parts that both have got
    predicted: dict     # policy: [data, server, net, client], mean seconds
    own: dict           # policy: mean seconds of the client's work


def image(number):
    """Return a gray image with waves and noise, as an array."""
    import numpy as np
    y, x = np.mgrid[0:SIDE, 0:SIDE]
    noise = np.random.default_rng(number).normal(0, 6, (SIDE, SIDE))
    waves = 128 + 60 * np.sin(x / (37 + number)) + 40 * np.cos(y / 53)
    return (waves + noise).clip(0, 255).astype(np.uint8)


def stored(lab):
    """Store the images; return their names."""
    from PIL import Image
    url, token = lab.storage_url(), str(lab.token())
    put(url, token, 'maps', b'', {'X-Container-Read': '.r:*'})
    names = [f'maps/{number}.j2k' for number in range(IMAGES)]
    for number, name in enumerate(names):
        put(url, token, name, encoded(Image.fromarray(image(number))),
            {'Content-Type': 'image/j2c'})
    return names


def busy(path):
    """Return the fraction of LOOKS at the decoder, of the socket `path`, in which it has a job."""
    count = 0
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(path))
        for _look in range(LOOKS):
            connection.sendall(pack({'do': 'status'}))
            text, _size = lengths(connection.recv(HEAD.size, socket.MSG_WAITALL))
            count += message_of(connection.recv(text, socket.MSG_WAITALL))['running'] > 0
            sleep(EVERY)
    return count / LOOKS


def fit(load, path):
    """Change the pauses of a Load until the decoder is some BUSY busy; return how busy it is."""
    for _time in range(3):
        sleep(0.5)
        seen = busy(path)
        if abs(seen - BUSY) < 0.06:
            break
        load.pause *= min(2.0, max(0.5, (seen / BUSY) ** 2))
    return seen


def result_of(rounds):
    """Return the CellResult of rounds of CellRows."""
    by_policy = {policy: [row for one in rounds for row in one if row.policy == policy]
                 for policy in POLICIES}
    by_policy = {policy: rows for policy, rows in by_policy.items() if rows}
    seconds = {policy: [row.seconds for row in rows] for policy, rows in by_policy.items()}
    means = {policy: statistics.fmean(values) for policy, values in seconds.items()}
    best = min((policy for policy in means if policy != CHOICE), key=means.get)
    pairs = list(zip(seconds[CHOICE], seconds[best], strict=False))
    ratio = means[CHOICE] / means[best]
    rest = [chosen - ratio * alone for chosen, alone in pairs]
    return CellResult(
        means, {policy: error_of(values) for policy, values in seconds.items()},
        {policy: len(values) for policy, values in seconds.items()},
        Counter(row.point for row in by_policy[CHOICE]), best, ratio, error_of(rest) / means[best],
        {point: [statistics.fmean(terms) for terms in zip(*(
            row.predicted[point] for row in by_policy[CHOICE]), strict=True)] for point in POINTS},
        {policy: statistics.fmean(row.own for row in rows) for policy, rows in by_policy.items()})


def error_of(values):
    """Return the standard error of the mean of some values; infinity of a single one."""
    if len(values) < 2:
        return math.inf
    return statistics.stdev(values) / math.sqrt(len(values))


def measured(cells, seconds, rounds):
    """Yield (name, CellResult) of each of the cells."""
    spec = LabSpec(name='cells', site='ucsb', nodes=1, replicas=1, images=True,
                   image_options={'workers': '1', 'cache': '0'}, log_level='WARNING')
    with sites_with_labs(f'[link ksu ucsb]\nrtt = {RTT}\n', [spec]) as labs, \
            tempfile.TemporaryDirectory() as folder:
        lab, = labs.values()
        names, path = stored(lab), image_socket(lab.directory, 'image-1')
        clients = Clients('ksu', lab.storage_url(), names, Path(folder))
        try:
            for name, rows in _measured(lab, clients, names, path, cells, seconds, rounds):
                yield name, result_of(rows)
        finally:
            clients.end()


def _measured(lab, clients, names, path, cells, seconds, rounds):
    pause = PAUSE
    for number, name in enumerate(cells):
        bandwidth, client, load = name.split()
        wan.change(['link=ksu,ucsb', f'rate={bandwidth}'])
        args = (name.replace(' ', '-'), SLOWNESS[client], GAP * LOADS[load], seconds, rounds,
                number)
        if not LOADS[load]:
            yield name, clients.measured(*args)
            continue
        with Load('ucsb', lab.storage_url(), names, pause) as loaders:
            seen = fit(loaders, path)
            pause = loaders.pause
            print(f'{LOADERS} clients with pauses of {1e3 * pause:.0f} ms: the decoder is '
                  f'{seen:.0%} busy', flush=True)
            yield name, clients.measured(*args)


def show(name, result):
    """Print the lines of a cell."""
    chosen = ', '.join(f'{point} {count}' for point, count in sorted(result.chosen.items()))
    print(f'{name:<18}' + ''.join(
        f'{1e3 * result.means[policy]:>9.1f} +-{1e3 * result.errors[policy]:>5.1f}'
        if policy in result.means else f'{"":>17}' for policy in POLICIES)
        + f'  {result.ratio:.3f} +- {result.error:.3f} x {result.best}; {chosen}')
    print(f'{"  predicted":<18}' + ''.join(
        f'{1e3 * sum(result.predicted[point]):>9.1f}{"":>8}' for point in POINTS))
    print(f'{"  by term":<18}' + ''.join(
        f'{"/".join(f"{1e3 * term:.0f}" for term in result.predicted[point]):>17}'
        for point in POINTS) + f'{"":>17}  own work ' + ', '.join(
        f'{policy} {1e3 * result.own[policy]:.0f}' for policy in result.own if policy != CHOICE),
        flush=True)


def missed(results):
    """Return sentences of what is missed, for {name: CellResult}."""
    found = [f'{name}: the choice takes {one.ratio:.3f} x the seconds of {one.best}'
             for name, one in results.items() if one.ratio - 2 * one.error > GOAL]
    found += [f'{point} alone is within {GOAL} x the best in all cells' for point in POINTS if all(
        one.means.get(point, math.inf) <= GOAL * one.means[one.best] for one in results.values())]
    return found


def main(words):
    """Measure, print and draw; return the exit status."""
    parser = argparse.ArgumentParser(prog='chains cells')
    parser.add_argument('--seconds', type=float, default=25.0, help='of a cell (%(default)s)')
    parser.add_argument('--rounds', type=int, default=4, help='of a cell, at least (%(default)s)')
    parser.add_argument('--cells', nargs='*', default=[], metavar='WORD',
                        help='only cells whose names have these words, such as 20M idle')
    parser.add_argument('--out', type=Path, metavar='DIR', help='write report and drawing there')
    args = parser.parse_args(words)
    if reason := missing():
        raise SystemExit(f'chains: {reason}')
    cells = [name for name in CELLS if set(args.cells) <= set(name.split())]
    print(f'{"mean ms":<18}' + ''.join(
        f'{policy if policy != CHOICE else "choice":>9}{"":>8}' for policy in POLICIES))
    results = {}
    for name, result in measured(cells, args.seconds, args.rounds):
        results[name] = result
        show(name, result)
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
        write('Points of a chain', [section(results)], args.out)
    faults = missed(results)
    print('\n'.join(faults) or f'the choice is within {GOAL} x the best point in each cell, and no '
          'point alone in all')
    return int(bool(faults))
