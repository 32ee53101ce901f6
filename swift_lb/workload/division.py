"""COSBench's division of numbers among the workers of a work."""


def part(numbers, share):
    """Return the sub-range of the range `numbers` that belongs to one worker.

    `share` is (index from 1, number of workers), None for the whole range. All parts have the same
    length, except that the first len(numbers) % workers have one number more; with more workers
    than numbers some parts are empty.
    """
    if share is None:
        return numbers
    index, workers = share
    base, extra = divmod(len(numbers), workers)
    begin = base * (index - 1) + min(index - 1, extra)
    return numbers[begin:begin + base + (index <= extra)]
