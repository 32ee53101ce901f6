"""A worker that changes the host's book of counts at random until it is killed.

    python fuzzed_worker.py PATH SEED

It prints its slot in the book when it begins. At a line on its standard input it prints, as JSON,
[{device: reads in flight}, requests in flight], and waits for another line before it goes on.
"""
import json
import random
import select
import sys
from collections import Counter

from swift_lb.clock import monotonic
from swift_lb.load.pace import Pace
from swift_lb.load.shared_record import SharedRecord
from swift_lb.model import DeviceReport, Node
from swift_lb.proxy.host_book import HostBook

MAX_READS = 40       # reads at a time
DEVICES = 600   # so many that some are always inserted


class FuzzedWorker:
    """A worker that shares the book of counts at `path`; `reads` are those it has in flight."""

    def __init__(self, path, seed):
        self.rng = random.Random(seed)
        self.host = HostBook(lambda: path, (Pace,), monotonic)
        self.host.attend()
        self.reads, self.requests = [], 0

    def step(self):
        draw = self.rng.random()
        if self.rng.random() < 0.2:
            self.serve()
        elif draw < 0.01:
            self.host.attend()
        elif draw < 0.02:
            self.host.book.forget(monotonic() - self.rng.random())
        elif draw < 0.2:
            nodes = [self.node() for _ in range(3)]
            loads = self.host.book.snapshot(nodes).loads.values()
            assert all(0 <= load.in_flight < 10000 and 0 <= load.queued < 10000 for load in loads)
            self.host.book.chosen(nodes[0], monotonic(), nodes[1:])
        elif draw < 0.5 and len(self.reads) < MAX_READS:
            self.reads.append(self.host.book.begin(self.node(), monotonic()))
        elif self.reads:
            self.go_on(self.rng.randrange(len(self.reads)))

    def serve(self):
        """Let a request of a client begin or end, at random."""
        if self.rng.random() < 0.5 and self.requests < MAX_READS:
            self.host.requests.begin()
            self.requests += 1
        elif self.requests:
            self.host.requests.head(self.rng.random())
            self.host.requests.end()
            self.requests -= 1

    def node(self):
        """Return a random Node of DEVICES; nine of ten times it is one of the first six."""
        number = self.rng.randrange(6 if self.rng.random() < 0.9 else DEVICES)
        return Node('10.0.0.1', 6200, f'sd{number}')

    def go_on(self, number):
        """Let the read at index `number` take a random step, such as its first byte or its end."""
        read, now = self.reads[number], monotonic()
        act = self.rng.choice(('sent', 'head', 'wait', 'chunk', 'first_byte_came', 'part_done',
                               'reported', 'complete', 'fail', 'end', 'drop'))
        if act in ('complete', 'fail', 'end', 'drop'):
            del self.reads[number]
        if act != 'drop':
            arguments = {'chunk': (4096, now), 'part_done': (), 'complete': (), 'end': (),
                         'fail': (True,), 'reported': (DeviceReport(number, 0.01), now)}
            getattr(read, act)(*arguments.get(act, (now,)))

    def truth(self):
        """Return {device: reads in flight} that the host's book must show for this worker."""
        return Counter(str(read.node) for read in self.reads
                       if isinstance(read._record, SharedRecord))


def main(path, seed):
    """Work until the standard input ends."""
    worker = FuzzedWorker(path, seed)
    print(worker.host.slot, flush=True)
    while True:
        for _ in range(20):
            worker.step()
        if select.select([sys.stdin], [], [], 0)[0]:
            if not sys.stdin.readline():
                return
            print(json.dumps([worker.truth(), worker.requests]), flush=True)
            sys.stdin.readline()


if __name__ == '__main__':
    main(*sys.argv[1:])
