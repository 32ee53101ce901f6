"""The number of resolvers that asked in a TTL: each counts once, up to MAX_RESOLVERS."""
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.zone.resolvers import MAX_RESOLVERS, Resolvers


@given(st.integers(1, 86400), st.lists(st.tuples(st.integers(0, 9), st.floats(0.0, 500.0)),
                                       max_size=80), st.floats(0.0, 500.0))
def test_resolver_count_is_the_maximum_of_this_and_the_last_ttl(ttl, gaps, silence):
    resolvers, now, windows = Resolvers(ttl), 0.0, {}

    def expected():
        return max(len(windows.get(now // ttl - back, ())) for back in (0, 1))
    assert 0 == resolvers.count(now)
    for host, gap in gaps:
        now += gap
        resolvers.note(f'192.0.2.{host}', now)
        windows.setdefault(now // ttl, set()).add(host)
        assert expected() == resolvers.count(now)
    now += silence
    assert expected() == resolvers.count(now)


def test_the_count_of_resolvers_has_an_upper_limit():
    resolvers = Resolvers(60)
    for number in range(3 * MAX_RESOLVERS):
        resolvers.note(f'2001:db8::{number:x}', 1.0 + number / 10**6)
    assert MAX_RESOLVERS == resolvers.count(5.0) == len(resolvers._seen)
