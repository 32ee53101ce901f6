"""COSBench's division: which part of the numbers is one worker's."""


def part(numbers, share):
    """Return the part of the range `numbers` that belongs to one worker.

    `share` is (index from 1, all workers of the work), or None for the whole. All parts are of one
    length, but the first len(numbers) % all have one more; a worker too many has none.
    """
    if share is None:
        return numbers
    index, workers = share
    base, extra = divmod(len(numbers), workers)
    begin = base * (index - 1) + min(index - 1, extra)
    return numbers[begin:begin + base + (index <= extra)]
