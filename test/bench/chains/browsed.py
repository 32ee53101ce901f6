"""Browsing, kept parts and faults on a real Swift: what keeping results gains, and what it costs.

    python test/bench/chains browsing [--views N] [--rounds N] [--clients N] [--images N]
        [--cache BYTES] [--parts N] [--seed N] [--quick] [--out DIR]

A lab with one storage node and two proxies, each with a dispatcher and a decoder of one worker.
Images are gray, 2048x2048, lossless, in tiles of 256x256, with the lengths that `swift-lb image
put` adds. Clients that know nothing of swift-lb browse them by the trace of browsing.py, as fast as
they are answered. Each visit is to one proxy.

Three parts follow one another:

`browsing`  for each rule of `cooperation`, the same trace with `cache = 0` in the decoders' conf
            and with BYTES, from an empty folder, in turns; every other round backwards. A hit is
            a part that no decoder has computed for it: it was kept, or was being computed for
            another client. `pixels` is the share that was answered by pixels, and not by portions
            of the object since no decoder answered. The goal is GOAL less mean response time.
`kept`      without dispatchers, one request at a time: parts that are computed, and then asked for
            again: medians. The goal is KEPT_GOAL x computing. D2 has no goal: nothing is
            computed. It takes one more read than the HEAD by which each request is authorised,
            and `head` is what such a HEAD takes.
`faults`    proxy 2 and its decoder are killed while clients ask proxy 1; both decoders are killed
            under load and started again; the disks of both decoders are full (needs root). No
            request may fail, or be answered by other bytes than before.

Exits with 1 if a goal is missed. With --out, draws browsing.png there.
"""
import argparse
import os
from pathlib import Path

from bench.chains import faulty, kept
from bench.chains.browsing import Browsing
from bench.chains.drawn_browsing import draw
from bench.dispatchers.figures import quantile
from support.image_faults import seen_of
from support.image_lab import Clients, ImageLab
from support.jpeg2000 import encoded, noise

from swift_lb.chains.jpeg2000.marked import marked
from swift_lb.dispatch.cooperation import RULES
from swift_lb.experiment.runs import alternating
from swift_lb.lab.spec import LabSpec

SIDE, LEVELS = 2048, 2
CACHES = OFF, ON = 'off', 'on'
ONE_WORKER = {'workers': '1'}
COOPERATION = 'filter:lb_dispatcher:cooperation'
GOAL, KEPT_GOAL = 0.3, 0.2


def files(count):
    """Return {name: file} of the images."""
    return {f'{number}.j2k': marked(encoded(noise('L', SIDE, SIDE, number)))
            for number in range(count)}


def trace(images, options):
    """Return [(path, proxy)] of the views that clients ask for."""
    return [(images.path(f'{view.image}.j2k', view.task), 1 + view.visit % 2) for view in Browsing(
        options.images, options.clients, options.seed, LEVELS).views(options.views)]


def turn(images, requests, cache, options):
    """Return (the sorted seconds, hits, FaultSeen) of one run of the trace, from an empty cache."""
    images.lab.restart_decoders(ONE_WORKER | {'cache': '0' if cache == OFF else options.cache})
    seen = Clients(images, requests, options.clients).run()
    told = seen_of(seen)
    hits = told.pixels - sum(images.computed().values())
    return sorted(one.seconds for one in seen), hits, told


def browse(images, options):
    """Print a line for each turn; return ({(rule, cache): seconds of all its turns}, failures)."""
    requests, times, failed = trace(images, options), {}, 0
    print(f'{len(requests)} views of {len(set(requests))} parts, {options.clients} clients\n'
          f'{"rule":6} {"cache":5} {"mean":>8} {"p50":>8} {"p99":>8} {"hits":>6} {"pixels":>6} '
          f'{"failed":>6}')
    for number in range(options.rounds):
        for rule in alternating(RULES, number):
            images.lab.restart_proxies({COOPERATION: rule})
            images.wait()
            for cache in alternating(CACHES, number):
                seconds, hits, told = turn(images, requests, cache, options)
                failed += told.failed
                times.setdefault((rule, cache), []).extend(seconds)
                print(f'{rule:6} {cache:5} {_row(seconds)} {hits / len(seconds):6.2f} '
                      f'{told.pixels / told.requests:6.2f} {told.failed:6}',
                      flush=True)
    return {what: sorted(seconds) for what, seconds in times.items()}, failed


def _row(seconds):
    return ' '.join(f'{1000 * one:5.0f} ms' for one in (
        sum(seconds) / len(seconds), quantile(seconds, .5), quantile(seconds, .99)))


def gains(times):
    """Return {rule: the fraction by which the mean response time is less with the cache}."""
    mean = {what: sum(seconds) / len(seconds) for what, seconds in times.items()}
    return {rule: 1 - mean[rule, ON] / mean[rule, OFF] for rule in RULES}


def judged(what, value, goal, holds):
    """Print a figure beside its goal; return whether the goal is missed."""
    print(f'{what}: {value}; the goal is {goal}: {"held" if holds else "MISSED"}', flush=True)
    return not holds


def main(words):
    """Measure and print; return the exit status."""
    options, missed = options_of(words), []
    spec = LabSpec(name=f'browsing-{os.getpid()}', nodes=1, replicas=1, proxies=2, dispatch=True,
                   images=True, image_options=ONE_WORKER, log_level='WARNING')
    with ImageLab.up(spec, files(options.images)) as images:
        times, failed = browse(images, options)
        missed += [judged(f'{rule}: less mean response time', f'{gain:.0%}', f'{GOAL:.0%}',
                          gain >= GOAL) for rule, gain in gains(times).items()]
        missed.append(judged('requests that failed', failed, 0, not failed))
        shares = kept.measure(images, options)
        missed += [judged(f'{name}: a kept part / computing it', f'{share:.2f}', KEPT_GOAL,
                          share <= KEPT_GOAL) for name, share in shares.items() if name != kept.CUT]
        missed += [judged(f'{name}: requests that failed', failed, 0, not failed)
                   for name, failed in faulty.measure(images, options)]
    if options.out:
        draw(times, options.out / 'browsing.png')
    return int(any(missed))


def options_of(words):
    """Return the options in the words of a command line."""
    parser = argparse.ArgumentParser(prog='chains browsing')
    parser.add_argument('--views', type=int, default=240, help='of a turn (%(default)s)')
    parser.add_argument('--rounds', type=int, default=2, help='(%(default)s)')
    parser.add_argument('--clients', type=int, default=3, help='at a time (%(default)s)')
    parser.add_argument('--images', type=int, default=12, help='(%(default)s)')
    parser.add_argument('--cache', default='1GiB', help='bytes of each proxy (%(default)s)')
    parser.add_argument('--parts', type=int, default=40, help='of each point (%(default)s)')
    parser.add_argument('--seed', type=int, default=1, help='of the trace (%(default)s)')
    parser.add_argument('--quick', action='store_true', help='1 round of 100 views, 10 parts')
    parser.add_argument('--out', type=Path, help='folder of the drawing')
    options = parser.parse_args(words)
    if options.quick:
        options.rounds, options.views, options.parts = 1, 100, 10
    return options


