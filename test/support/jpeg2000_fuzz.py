"""JPEG 2000 files that have been damaged, and what must hold for each of them."""
import random

from support.jpeg2000 import encoded, noise
from swift_lb.chains.chain import Region, Task, in_memory
from swift_lb.chains.jpeg2000 import CHAIN
from swift_lb.chains.jpeg2000.lowered import lowered
from swift_lb.chains.jpeg2000.marked import marked
from swift_lb.chains.jpeg2000.place import place_of
from swift_lb.errors import ChainError

TASKS = [Task(), Task(Region(70, 70, 60, 60), 1), Task(Region(0, 0, 10, 150), 3),
         Task(Region(199, 149, 1 << 40, 1), 2), Task(Region(-1, 0, 5, 5)), Task(None, 40)]
NUMBERS = 0, 1, 2, 0x7f, 0x80, 0xff, 0xffff, 0x7fffffff, 0xffffffff


def corpus():
    """Return valid files of all kinds, of about 10 kB."""
    image = noise('L', 200, 150)
    small = {'tile_size': (64, 64), 'num_resolutions': 4}
    plain = [encoded(image, **small, **options) for options in (
        {}, {'no_jp2': False}, {'plt': False, 'progression': 'LRCP', 'quality_layers': [30, 10]},
        {'progression': 'CPRL', 'precinct_size': (32, 32), 'codeblock_size': (16, 16)})]
    return [*plain, *map(marked, plain[:2]), encoded(image, tile_size=(200, 150))]


def damaged(data, rng):
    """Return a file with one or two changes, most of them in its headers."""
    data = bytearray(data)
    for _ in range(rng.randint(1, 2)):
        at = rng.randrange(min(len(data), rng.choice((60, 300, 1 << 20))))
        kind = rng.choice((0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 4, 5))
        if kind == 0:
            data[at] = rng.randrange(256)
        elif kind == 1:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 2:
            size = rng.choice((1, 2, 4))
            data[at:at + size] = (rng.choice(NUMBERS) & (1 << 8 * size) - 1).to_bytes(size, 'big')
        elif kind == 3:
            del data[at:at + rng.choice((1, 2, 30, 1 << 20))]
        elif kind == 4:
            source = rng.randrange(len(data))
            data[at:at] = data[source:source + rng.choice((1, 4, 100))]
        else:
            data[at:at + 2] = bytes((0xff, rng.choice(b'\x4f\x51\x52\x55\x57\x58\x5c\x90\x93\xd9')))
        if not data:
            break
    return bytes(data)


def counted(step, data):
    """Run a step in memory; raise AssertionError if it reads too much."""
    read, blocks = 0, None
    while True:
        try:
            ranges = step.send(blocks)
        except StopIteration as end:
            return end.value
        read += sum(last - first + 1 for first, last in ranges)
        assert len(ranges) <= 50
        assert read < (1 << 26) + 2 * len(data)
        blocks = [data[first:last + 1] for first, last in ranges]


def survive(data):
    """Do with a file what proxies do; return whether it has an index."""
    try:
        index = counted(CHAIN.index(len(data)), data)
    except ChainError as err:
        require_sentence(err)
        return False
    assert CHAIN.loads(CHAIN.dumps(index)) == index
    for task in TASKS:
        try:
            CHAIN.works(index, task, 2)
            cut = counted(CHAIN.cut(index, task), data)
            place = place_of(cut)
            lowered(cut, max(0, task.reduce - place.reduced))
        except ChainError as err:
            require_sentence(err)
    for step in (lambda: marked(data), lambda: in_memory(CHAIN.index(len(data) + 1000), data)):
        try:
            step()
        except ChainError as err:
            require_sentence(err)
    return True


def require_sentence(err):
    """Raise AssertionError unless an error is a sentence with a status for clients."""
    assert err.status[:4] in ('400 ', '422 ')
    assert 10 < len(str(err)) < 120
    assert '\n' not in str(err)


def fuzz(count, seed=0):
    """Damage files `count` times; return how many had an index then."""
    rng, files = random.Random(seed), corpus()
    return sum(survive(damaged(files[number % len(files)], rng)) for number in range(count))
