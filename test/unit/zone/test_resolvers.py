"""How many resolvers asked in a TTL: each once, in whole windows, and never without end."""
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.zone.resolvers import MAX_RESOLVERS, Resolvers

TTL = 60


def asked(pairs, ttl=TTL):
    """Return a Resolvers that has noted each (ip, now)."""
    resolvers = Resolvers(ttl)
    for ip, now in pairs:
        resolvers.note(ip, now)
    return resolvers


def test_count_starts_at_zero():
    assert [0, 0, 0] == [Resolvers(TTL).count(now) for now in (0.0, 59.0, 1e9)]


def test_a_resolver_counts_once_however_often_it_asks():
    resolvers = asked([('192.0.2.1', 1.0), ('192.0.2.2', 2.0), ('192.0.2.1', 3.0)])
    assert 2 == resolvers.count(3.0)


def test_the_count_of_a_window_is_valid_in_the_next_one():
    resolvers = asked([('192.0.2.1', 59.9), ('192.0.2.2', 59.9)])
    assert [2, 2, 2, 0] == [resolvers.count(now) for now in (59.9, 60.0, 119.9, 120.0)]


def test_the_current_window_counts_as_soon_as_it_has_more():
    resolvers = asked([('192.0.2.1', 10.0)])
    counts = []
    for host in range(3):
        resolvers.note(f'192.0.2.{host}', 70.0)
        counts.append(resolvers.count(70.0))
    assert [1, 2, 3] == counts


def test_the_count_restarts_after_a_window_without_queries():
    assert 1 == asked([('192.0.2.1', 1.0), ('192.0.2.2', 1.0), ('192.0.2.3', 130.0)]).count(130.0)


def test_the_count_of_resolvers_has_an_upper_limit():
    resolvers = asked((f'2001:db8::{n:x}', 1.0 + n / 10**6) for n in range(3 * MAX_RESOLVERS))
    assert MAX_RESOLVERS == resolvers.count(5.0)
    assert MAX_RESOLVERS == len(resolvers._seen)


@given(st.integers(1, 86400), st.lists(st.tuples(st.integers(0, 9), st.floats(0.0, 500.0)),
                                       max_size=80))
def test_count_is_the_larger_of_two_windows(ttl, gaps):
    resolvers, now, windows = Resolvers(ttl), 0.0, {}
    for host, gap in gaps:
        now += gap
        resolvers.note(f'192.0.2.{host}', now)
        windows.setdefault(now // ttl, set()).add(host)
        sizes = [len(windows.get(now // ttl - back, ())) for back in (0, 1)]
        assert max(sizes) == resolvers.count(now)
