"""Mutated JPEG 2000 images, and questions about them, for a real swift-lb-image."""
import random
import re
import struct
import threading
from collections import Counter
from functools import cache

from PIL import Image

from support.jpeg2000 import cut_of, encoded, noise, pixels_in
from support.lb_image import run_question
from support.running import running
from swift_lb.chains.chain import Region, Task
from swift_lb.chains.jpeg2000.markers import SOT, segments

SIZE = 96, 70
TELLING = (0, 1, 2, 3, 7, 32, 64, 127, 128, 255)
WIDE = (0, 1, 2, 31, 60_000, 65_535, 1 << 20, 1 << 31, (1 << 32) - 1)
ONE_HOG = 4000      # images of which one takes more than a second to decode, in HOG_TILES tiles
HOG_TILES = 200
PAUSE = 0.01        # seconds between two questions about a good image
SLOW = {'error': 'the decoder has not answered in time', 'status': '503 Service Unavailable'}
SIZ = range(8, 40, 4)       # where the eight numbers of the image's and the tiles' sizes are


def corpus():
    """Return a list of codestreams of all kinds that are decoded."""
    found = []
    for mode, options in (
            ('L', {}), ('RGB', {'mct': 1}), ('RGBA', {}), ('LA', {'progression': 'LRCP'}),
            ('I;16', {'plt': False}), ('L', {'progression': 'PCRL', 'plt': False}),
            ('RGB', {'irreversible': True, 'mct': 1, 'progression': 'CPRL'}),
            ('L', {'tile_size': (96, 96)}), ('L', {'quality_layers': [40, 10, 1]}),
            ('RGB', {'codeblock_size': (4, 4), 'precinct_size': (16, 16)})):
        found.append(encoded(noise(mode, *SIZE), **{'tile_size': (32, 32), 'num_resolutions': 4}
                             | options))
    return found + [cut_of(found[0], Task(Region(40, 40, 20, 20), reduce)) for reduce in (0, 1)]


def truncated(data, chance):
    return data[:chance.randrange(len(data))]


def flipped(data, chance):
    """Return `data` with some bits flipped, at any place."""
    changed = bytearray(data)
    for _bit in range(chance.choice((1, 1, 2, 8, 50))):
        changed[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def header_flipped(data, chance):
    """Return `data` with some bytes of its headers replaced."""
    changed, end = bytearray(data), data.find(b'\xff\x93') + 1 or len(data)
    for _byte in range(chance.randint(1, 4)):
        changed[chance.randrange(min(end, len(data)))] = chance.choice(TELLING)
    return bytes(changed)


def lengths_changed(data, chance):
    """Return `data` with the length of a marker segment of its main header changed."""
    changed = bytearray(data)
    _marker, first, _end = chance.choice(segments(data, 2, SOT)[0])
    changed[first - 2:first] = struct.pack('>H', chance.choice(WIDE) & 0xffff)
    return bytes(changed)


def parts_changed(data, chance):
    """Return `data` with a field of the head of a tile-part changed."""
    places = [at for at in range(len(data) - 12) if data[at:at + 4] == b'\xff\x90\0\n']
    changed, at = bytearray(data), chance.choice(places)
    if chance.random() < 0.5:
        changed[at + 6:at + 10] = struct.pack('>I', chance.choice(WIDE))
    else:
        changed[at + chance.choice((4, 5, 10, 11))] = chance.choice(TELLING)
    return bytes(changed)


def lying(data, chance):
    """Return `data` with other sizes of image and tiles in its header."""
    changed = bytearray(data)
    for place in chance.sample(SIZ, chance.randint(1, 4)):
        struct.pack_into('>I', changed, place, chance.choice(WIDE) if chance.random() < 0.5
                         else chance.randrange(200))
    return bytes(changed)


def bomb(data, chance):
    """Return `data` as an image of many pixels, in one tile or in many."""
    changed, side = bytearray(data), chance.choice((5000, 8000, 20_000, 60_000, 1 << 31))
    tile = chance.choice((side, 1, 64, side // 200))
    struct.pack_into('>IIIIIIII', changed, 8, side, side, 0, 0, tile, tile, 0, 0)
    return bytes(changed)


def blanked(data, chance):
    """Return `data` with a block of zeros, of ones or of its own bytes from elsewhere."""
    at, size = chance.randrange(len(data)), chance.randrange(1, 300)
    other = chance.randrange(len(data))
    return data[:at] + chance.choice((bytes(size), b'\xff' * size, data[other:other + size])) + (
        data[at + size:])


def hog(tiles):
    """Return an image of `tiles` tiles of noise, each of which takes 20 ms or more to decode."""
    head, part = small_hog()
    changed = bytearray(head)
    struct.pack_into('>I', changed, 8, 256 * tiles)
    return bytes(changed) + b''.join(part[:4] + struct.pack('>H', number) + part[6:]
                                     for number in range(tiles)) + b'\xff\xd9'


@cache
def small_hog():
    """Return (main header, tile-part) of an image of one tile of noise."""
    data = encoded(Image.frombytes('RGB', (256, 256), random.Random(1).randbytes(3 << 16)))
    place = data.index(b'\xff\x90')
    return data[:place], data[place:-2]


MUTATIONS = (truncated, flipped, flipped, flipped, header_flipped, lengths_changed, parts_changed,
             lying, bomb, blanked)


def mutated(images, chance):
    """Return (name of the mutation, codestream); `images` is what corpus() returned."""
    change = chance.choice(MUTATIONS)
    return change.__name__, change(chance.choice(images), chance)


def asked(chance):
    """Return (Task, what run_question() takes besides)."""
    region = Region(*(chance.randrange(side) for side in SIZE),
                    *(chance.randint(1, side) for side in SIZE))
    task = Task(chance.choice((None, region)), chance.choice((0, 0, 0, 0, 1, 1, 2, 5)))
    if chance.random() < 0.3:
        return task, {'step': 'coefficients', 'overview': task.reduce + chance.randint(1, 3)}
    return task, {'form': chance.choice(('png', 'raw'))}


class ImageFuzz:
    """Sends mutated images to an LbImageServer, and checks each answer and that of a good image."""

    def __init__(self, server, seed):
        self._server, self._images, self._seed = server, corpus(), seed
        self.outcomes, self.good, self.faults = Counter(), 0, []
        self._over = threading.Event()

    def run(self, count, clients=2):
        """Send `count` images, on `clients` connections, beside one with a good image."""
        threads = [threading.Thread(target=self._fuzz, args=(number, count // clients))
                   for number in range(clients)]
        with running([threading.Thread(target=self._ask_good)], self._over):
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

    def _fuzz(self, number, count):
        chance = random.Random(f'{self._seed} {number}')
        with self._server.connected() as client:
            for _turn in range(count):
                name, data = mutated(self._images, chance)
                if chance.randrange(ONE_HOG) == 0:
                    name, data = 'hog', hog(HOG_TILES)
                task, more = asked(chance)
                answer, body = client.ask(run_question(task, **more), data)
                self.outcomes[outcome_of(answer, body)] += 1
                if not is_right(answer, body):
                    self.faults.append((name, task, more, answer, data))

    def _ask_good(self):
        task = Task(Region(5, 6, 40, 50))
        expected = pixels_in(self._images[0], task).tobytes()
        with self._server.connected() as client:
            while not self._over.wait(PAUSE):
                answer, body = client.ask(run_question(task, form='raw'), self._images[0])
                self.good += 1
                if not body.endswith(expected) or not answer.get('ok'):
                    self.faults.append(('good', task, {}, answer, b''))


def is_right(answer, body):
    """Return whether an answer is a result, or an error 4xx with one sentence, or SLOW."""
    if answer.get('ok'):
        return bool(body and answer['type'])
    return answer == SLOW or (answer.get('status', '').startswith('4') and not body
            and 0 < len(answer['error']) < 200 and '\n' not in answer['error'])


def outcome_of(answer, body):
    """Return the kind of an answer, for counts: its sentence without numbers."""
    if answer.get('ok'):
        return f'a result, {answer["type"]}'
    return re.sub('[0-9]+', 'N', answer.get('error', '?'))
