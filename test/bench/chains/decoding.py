"""What decoding and its results cost: pixels, PNG, coefficients and the forks of workers.

Seconds are the least of many turns. The image is 2048x2048 pixels of gray with noise, lossless, in
tiles of 256; the part is 512x512 pixels.
"""
import argparse
import asyncio
import io
import zlib
from functools import partial

import numpy as np
from PIL import Image
from support.jpeg2000 import cut_of, decoded, encoded

from swift_lb.chains.chain import PNG, RAW, Region, Task
from swift_lb.chains.details import HEAD, pack, rebuild
from swift_lb.clock import monotonic
from swift_lb.image_codec import ImageCodec
from swift_lb.service.image.crew import WorkerProcess
from swift_lb.service.image.options import ImageServiceOptions

SIDE, PART, LEVELS = 2048, Region(704, 304, 512, 512), 3
WAVES = 9       # of the image, each of half the length of the one before
NOISE = 2.0     # of its pixels, standard deviation
# zlib's strategies by their names in its manual
PNGS = (('RLE, level 1, as sent', {'compress_level': 1, 'compress_type': 3}),
        ('Huffman, level 1', {'compress_level': 1, 'compress_type': 2}),
        *((f'default strategy, level {level}', {'compress_level': level}) for level in (1, 4, 6)))


def picture():
    """Return the array of the image."""
    rng, total = np.random.default_rng(1), np.zeros((SIDE, SIDE))
    for power in range(1, WAVES):
        small = Image.fromarray(rng.normal(size=(2**power + 1,) * 2).astype(np.float32))
        total += np.asarray(small.resize((SIDE, SIDE), Image.Resampling.BICUBIC)) * 60 / 1.6**power
    return np.clip(128 + total + rng.normal(scale=NOISE, size=total.shape), 0, 255).astype(np.uint8)


def least(turns, do):
    """Return the least milliseconds of do(), over some turns."""
    found = []
    for _turn in range(turns):
        began = monotonic()
        do()
        found.append(monotonic() - began)
    return min(found) * 1000


def row(title, size, milliseconds):
    """Print a line of a table."""
    print(f'{title:44} {size:>9,} bytes {milliseconds:8.2f} ms')


def main(words):
    """Run the bench."""
    parser = argparse.ArgumentParser(prog='chains decoding', description=__doc__)
    parser.add_argument('--turns', type=int, default=20)
    turns = parser.parse_args(words).turns
    file, codec = encoded(Image.fromarray(picture())), ImageCodec(monotonic)
    row('the image, decoded', len(file), least(3, lambda: decoded(file)))
    task = Task(PART)
    cut = cut_of(file, task)
    row('the cut, decoded and sent raw', len(cut),
        least(turns, lambda: codec.pixels(cut, task, RAW, SIDE * SIDE)))
    array = np.asarray(decoded(file))[PART.y:PART.y + 512, PART.x:PART.x + 512]
    png_rows(turns, array)
    coefficient_rows(turns, codec, file, array)
    asyncio.run(fork_row(turns))
    return 0


def png_rows(turns, array):
    """Print what PNG costs, by zlib's strategy and level."""
    image = Image.fromarray(array)
    for title, options in PNGS:
        file = io.BytesIO()
        milliseconds = least(turns, partial(image.save, file, PNG, **options))
        row(f'PNG: {title}', len(file.getvalue()) // turns, milliseconds)


def coefficient_rows(turns, codec, file, array):
    """Print what coefficients below an overview cost."""
    task, overview = Task(PART), np.asarray(decoded(file, LEVELS))
    cut = cut_of(file, task, LEVELS)
    _kind, message = codec.coefficients(cut, task, LEVELS, SIDE * SIDE)
    found = rebuild(message, overview)
    assert (found == array).all()
    area = (0, 0, 512, 512)
    coarse = overview[PART.y >> LEVELS:PART.y + 512 >> LEVELS,
                      PART.x >> LEVELS:PART.x + 512 >> LEVELS]
    row(f'coefficients of {LEVELS} levels, made', len(message),
        least(turns, lambda: pack(array, coarse, 0, LEVELS, area, area)))
    numbers = zlib.decompress(message[HEAD.size:])
    for title, level, strategy in (('RLE, level 1, as sent', 1, zlib.Z_RLE),
                                   ('default strategy, level 6', 6, zlib.Z_DEFAULT_STRATEGY)):
        def deflate(level=level, strategy=strategy):
            deflater = zlib.compressobj(level, strategy=strategy)
            return deflater.compress(numbers) + deflater.flush()
        row(f'    deflated: {title}', len(deflate()), least(turns, deflate))
    row('    made into pixels by the client', len(message),
        least(turns, lambda: rebuild(message, overview)))


async def fork_row(turns):
    """Print how long it takes until a new worker answers."""
    found = []
    for _turn in range(turns):
        began = monotonic()
        worker = await WorkerProcess.fork(ImageServiceOptions())
        await worker.ask({}, b'', 20)
        found.append(monotonic() - began)
        await worker.end()
    row('a new worker, forked until it answers', 0, min(found) * 1000)
