"""Pickers: functions that choose numbers of containers and objects, and sizes, by a Selector.

A picker is made once for a worker, with everything that can be computed in advance, so that its
calls are cheap.
"""
from bisect import bisect_left
from itertools import accumulate, chain, count, repeat


def picker(selector, rng, share=None, counter=None):
    """Return a function without arguments that returns the next number of a Selector.

    Selectors are COSBench's: c (constant), u (uniform), r (range), s (sequential), h (histogram).
    `rng` is the worker's random.Random. `share`, (index from 1, number of workers), divides the
    numbers of `u` and `r` among workers; `c` and `s` are never divided, and `h` cannot be. `s` and
    an undivided `r` take the next position from `counter`, see shared_counter(); without it the
    picker counts by itself.
    """
    if selector.kind == 'histogram':
        if share is not None:
            raise ValueError('a histogram can not be divided between workers')
        return _histogram(selector, rng.random)
    divided = share is not None and selector.kind in ('uniform', 'range')
    numbers = members(selector, share if divided else None)
    if not numbers:
        raise ValueError(f'{selector} has no number for worker {share}')
    if selector.kind == 'constant':
        return repeat(selector.low).__next__
    if selector.kind == 'uniform':
        return _uniform(numbers, rng.random)
    if divided:
        return chain.from_iterable(repeat(numbers)).__next__
    return _counted(numbers, counter or shared_counter())


def shared_counter(driver=0, drivers=1):
    """Return the counter that all workers of driver number `driver`, from 0, of `drivers` share.

    It is called for the next position in a selector of an operation. Each driver's counter skips
    the positions of the other drivers, so that together they visit what one counter would: driver 1
    of 3 takes 1, 4, 7, ...
    """
    return count(driver, drivers).__next__


def members(selector, share=None):
    """Return the range of the numbers that a Selector can choose, or of one worker's share of them.

    `share` is (index from 1, number of workers). All shares have the same length, except that the
    first len(numbers) % workers have one number more; with more workers than numbers some are
    empty. A histogram has no such range: there may be gaps between its buckets.
    """
    numbers = range(selector.low, selector.high + 1, selector.step)
    if share is None:
        return numbers
    index, workers = share
    base, extra = divmod(len(numbers), workers)
    begin = base * (index - 1) + min(index - 1, extra)
    return numbers[begin:begin + base + (index <= extra)]


def _uniform(numbers, random):
    begin, step, size = numbers.start, numbers.step, len(numbers)
    return lambda: begin + step * int(random() * size)


def _counted(numbers, advance):
    begin, step, size = numbers.start, numbers.step, len(numbers)
    return lambda: begin + step * (advance() % size)


def _histogram(selector, random):
    """Return a picker that chooses a bucket of sizes by its weight, then a number in it.

    `random()` returns a fraction. COSBench draws n from 0 .. total - 1 and takes the first bucket
    whose cumulative weight is not below n. So the first bucket is chosen once too often and the
    last one once too rarely, of `total` draws. This is kept, so that sizes are comparable with
    COSBench's.
    """
    ranges = [range(low, high + 1, selector.step) for low, high, _weight in selector.buckets]
    buckets = [(numbers.start, len(numbers)) for numbers in ranges]
    cumulative = list(accumulate(weight for _low, _high, weight in selector.buckets))
    total, step = cumulative[-1], selector.step

    def pick():
        begin, size = buckets[bisect_left(cumulative, int(random() * total))]
        return begin + step * int(random() * size)
    return pick
