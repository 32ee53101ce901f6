"""GreedyDual-Size: its order of eviction, worked by hand, and what holds for any use of it."""
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.chains.cache.greedy_dual import SPARE, GreedyDual


def test_the_order_of_eviction_by_hand():
    cache = GreedyDual(100)
    assert [] == cache.put('dear', 50, 100.0)           # H = 2
    assert [] == cache.put('cheap', 25, 25.0)           # H = 1
    assert [] == cache.put('mid', 25, 37.5)             # H = 1.5
    assert ['cheap'] == cache.put('new', 25, 12.5)      # L = 1, H = 1.5
    assert cache.floor == 1.0
    assert cache.hit('mid') == 2.5                      # L + 37.5 / 25
    assert ['new'] == cache.put('last', 25, 25.0)       # L = 1.5, H = 2.5
    assert ['dear'] == cache.put('big', 50, 25.0)       # L = 2, H = 2.5
    assert ['mid', 'last', 'big'] == cache.put('all', 100, 1.0)     # equal H: the oldest use first


def test_what_is_larger_than_the_budget_evicts_nothing():
    cache = GreedyDual(100)
    cache.put('a', 100, 1.0)
    assert [] == cache.put('b', 101, 9.0)
    assert 'a' in cache
    assert 'b' not in cache


def test_restored_entries_are_evicted_in_the_order_that_they_had():
    entries = [('a', 40, 1.0, 7.0), ('b', 40, 1.0, 5.0), ('c', 40, 1.0, 6.0)]
    cache = GreedyDual(100)
    assert ['b'] == cache.restore(entries)
    assert cache.floor == 6.0
    assert ['a', 'c'] == cache.hottest(5)
    assert ['c'] == cache.put('d', 60, 1.0)


USES = st.lists(st.tuples(st.sampled_from('abcdefgh'), st.integers(1, 120),
                          st.floats(0.001, 10.0), st.booleans()), max_size=200)


def trace(uses):
    """Return (what each use has evicted, the GreedyDual of 200 bytes) after `uses`."""
    cache, evicted = GreedyDual(200), []
    for key, size, seconds, hits in uses:
        floor, least = cache.floor, min((cache[one].priority for one in 'abcdefgh'
                                         if one in cache), default=None)
        if hits and key in cache:
            cache.hit(key)
        else:
            was_in = key in cache
            evicted.append(cache.put(key, size, seconds))
            assert was_in or not evicted[-1] or cache.floor >= least
        assert cache.floor >= floor
    return evicted, cache


@given(USES)
def test_it_is_never_over_its_budget_and_the_same_uses_evict_the_same(uses):
    evicted, cache = trace(uses)
    sizes = [cache[key].size for key in 'abcdefgh' if key in cache]
    assert cache.bytes == sum(sizes) <= cache.budget
    assert len(sizes) == len(cache)
    assert all(cache[key].priority >= cache.floor for key in cache.hottest(9))
    assert (evicted, cache.hottest(9)) == (trace(uses)[0], trace(uses)[1].hottest(9))


def test_hits_do_not_make_the_heap_grow():
    cache = GreedyDual(10)
    cache.put('a', 1, 1.0)
    for _hit in range(1000):
        cache.hit('a')
    assert len(cache._heap) <= 2 + SPARE
