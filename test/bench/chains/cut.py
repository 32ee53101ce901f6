"""Processor time and bytes read of the steps of the chain jpeg2000 that run in the proxy.

The images are lossless, RPCL, with PLT, as Pillow makes them, and the same with TLM and PLM in
their main header. A byte is needed if it is a packet of the cut or in the head of its tile-part.
Times are the least of REPEATS, of a process that reads from memory. Other requests of the proxy go
on at each read, and where a step yields nothing to read: "at a time" is the longest time between.
"""
import time

from support.jpeg2000 import encoded, noise

from swift_lb.chains.chain import Region, Task
from swift_lb.chains.jpeg2000 import CHAIN
from swift_lb.chains.jpeg2000.cut import plan_cut
from swift_lb.chains.jpeg2000.marked import marked

REPEATS = 50
GOAL_SECONDS, GOAL_RATIO = 0.001, 1.1
IMAGES = {'gray 2048x2048, 64 tiles': ('L', 2048, 256), 'RGB 2048x2048, 64 tiles': (
    'RGB', 2048, 256), 'gray 2560x2560, 1600 tiles': ('L', 2560, 64),
    'gray 4096x4096, 16384 tiles': ('L', 4096, 32)}
MIDDLE = Region(700, 600, 512, 512)
TASKS = {'512x512': Task(MIDDLE), '512x512, reduce 1': Task(MIDDLE, 1),
         '512x512, reduce 2': Task(MIDDLE, 2), 'all, reduce 3': Task(None, 3)}
HEAD = ' ' * 20 + 'cut ms  works ms   cut bytes  ranges  bytes read  read/needed  within goals'
GOALS = '512x512',              # tasks whose processor time is a goal


def run(step, data):
    """Return (result, requests, bytes, longest seconds of processor time at a time) of a step."""
    requests = read = longest = 0
    blocks = None
    while True:
        began = time.process_time()
        try:
            ranges = step.send(blocks)
        except StopIteration as end:
            return end.value, requests, read, max(longest, time.process_time() - began)
        longest = max(longest, time.process_time() - began)
        requests += bool(ranges)
        read += sum(last - first + 1 for first, last in ranges)
        blocks = [data[first:last + 1] for first, last in ranges]


def seconds_of(action):
    """Return the least processor time of an action."""
    times = []
    for _ in range(REPEATS):
        began = time.process_time()
        action()
        times.append(time.process_time() - began)
    return min(times)


def print_index(name, data):
    """Print what an image's index costs, and return it."""
    index, requests, read, _ = run(CHAIN.index(len(data)), data)
    kept = CHAIN.dumps(index)
    index_time = seconds_of(lambda: run(CHAIN.index(len(data)), data))
    loads_time = seconds_of(lambda: CHAIN.loads(kept))
    longest = min(run(CHAIN.index(len(data)), data)[-1] for _ in range(REPEATS))
    print(f'\n{name}: {len(data):,} bytes; index: {1000 * index_time:.2f} ms, '
          f'{1000 * longest:.2f} at a time, {requests} requests, {read:,} bytes; '
          f'kept in {len(kept):,} bytes, loaded in {1000 * loads_time:.2f} ms')
    return index


def print_cut(name, index, data, task):
    """Print what a cut costs; return whether it is within the goals."""
    plan = plan_cut(index, task)
    needed = sum(end - first for spans in plan.spans for first, end in spans)
    cut, _, read, _ = run(CHAIN.cut(index, task), data)
    seconds = seconds_of(lambda: run(CHAIN.cut(index, task), data))
    works = seconds_of(lambda: CHAIN.works(index, task))
    good = read <= GOAL_RATIO * needed and (name not in GOALS or seconds <= GOAL_SECONDS)
    print(f'{name:18} {1000 * seconds:7.2f} {1000 * works:9.2f} {len(cut):11,} '
          f'{len(plan.ranges):7} {read:11,} {read / needed:12.3f}  {"yes" if good else "NO"}')
    return good


def main(_words):
    """Print all costs; return 1 if a goal is missed."""
    good = True
    for name, (mode, side, tile) in IMAGES.items():
        plain = encoded(noise(mode, side, side), tile_size=(tile, tile))
        for title, data in ((name, plain), (f'{name}, TLM and PLM', marked(plain))):
            index = print_index(title, data)
            print(HEAD)
            for task_name, task in TASKS.items():
                good &= print_cut(task_name, index, data, task)
    print(f'\nGoals: read/needed <= {GOAL_RATIO}; cut of {GOALS[0]} <= {GOAL_SECONDS} s')
    return not good
