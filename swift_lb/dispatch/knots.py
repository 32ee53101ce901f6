"""A curve that never falls, through measured points. Pure.

    1. isotonic regression: neighbours that fall become their weighted mean, until none falls (pool
       adjacent violators; Barlow et al., "Statistical inference under order restrictions", 1972):
       of all that never fall the closest, by least squares
    2. from the heaviest knot outwards, y' the one before:

        bound = y' x (x + 1) / (x' + 1)         nearer[x] = y within y' and bound
        y = (weight x y + PRIOR x nearer) / (weight + PRIOR)

With x requests in flight one takes y seconds. Where it has to wait for others, y is in proportion
to x + 1; where it does not, y stays. A point outside of these bounds, measured at random or long
ago, needs more evidence than PRIOR.

    PRIOR = 4       samples: the mean of four exponential times is off by half of itself
"""
PRIOR = 4.0


def knots(xs, ys, weights):
    """Return (xs, ys) of a curve that never falls near the points (xs, ys).

    `xs` grow; `weights` are samples, > 0.
    """
    heights = isotonic(ys, weights)
    first = max(range(len(xs)), key=weights.__getitem__, default=0)
    for place in range(first + 1, len(xs)):
        bound = heights[place - 1] * (xs[place] + 1) / (xs[place - 1] + 1)
        if heights[place] > bound:
            heights[place] = mixed(heights[place], bound, weights[place])
    for place in range(first - 1, -1, -1):
        bound = heights[place + 1] * (xs[place] + 1) / (xs[place + 1] + 1)
        if heights[place] < bound:
            heights[place] = mixed(heights[place], bound, weights[place])
    return xs, heights


def mixed(measured, bound, weight):
    """Return the mean of `weight` samples and of a bound that counts as PRIOR samples."""
    return (weight * measured + PRIOR * bound) / (weight + PRIOR)


def isotonic(ys, weights):
    """Return the heights at `ys` of the closest curve that never falls, by weighted squares."""
    pools = []          # [height, weight, members]
    for height, weight in zip(ys, weights, strict=True):
        members = 1
        while pools and pools[-1][0] > height:
            before, heavy, many = pools.pop()
            height = (before * heavy + height * weight) / (heavy + weight)
            weight, members = heavy + weight, many + members
        pools.append((height, weight, members))
    return [height for height, _weight, members in pools for _ in range(members)]
