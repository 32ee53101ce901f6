"""ProxyWatch polls the status pages until it has reached all workers of the proxies."""
import pytest
from unit.console.status_pages import book, node, page

from swift_lb.console import poll
from swift_lb.console.fetch import Source
from swift_lb.console.watch import ProxyWatch
from swift_lb.errors import StatusError


class Clock:
    """A clock that the test advances."""

    now = 100.0

    def __call__(self):
        return self.now


def watch(*urls, clock=None):
    return ProxyWatch([Source(url) for url in urls], 1.0, None, clock or Clock())


def rows(view):
    return {row.node[:8]: (row.workers, row.choices, row.choices_per_second) for row in view.rows}


def test_the_first_poll_lasts_until_all_workers_have_answered(proxy):
    proxy.says(*(page(node(1, 10), pid=pid) for pid in range(5)))
    assert {'10.0.0.1': (5, 50, None)} == rows(watch(proxy.url).refresh())
    # 4 at once: all 5 met after 8, and 5 x (5 + 1) = 30 polls without a new one
    assert len(proxy.requests) <= 8 + 30 + 3


def test_a_later_poll_is_short_and_yields_choices_per_second(proxy):
    clock = Clock()
    watched = watch(proxy.url, clock=clock)
    proxy.says(page(node(1, 10), pid=1), page(node(1, 20), pid=2))
    watched.refresh()
    proxy.requests.clear()
    clock.now += 2.0
    proxy.says(page(node(1, 14), pid=1), page(node(1, 26), pid=2))
    assert {'10.0.0.1': (2, 40, 5.0)} == rows(watched.refresh())
    assert poll.enough_to_refresh(2) <= len(proxy.requests) <= poll.enough_to_refresh(2) + 3


def test_an_ended_worker_is_dropped_and_a_new_one_added(proxy):
    clock = Clock()
    watched = watch(proxy.url, clock=clock)
    proxy.says(page(pid=1))
    watched.refresh()
    proxy.says(page(pid=2))
    clock.now += 5.0
    assert {1, 2} == {pid for _url, pid in watched.refresh().looks}
    clock.now += 2.0
    assert {2} == {pid for _url, pid in watched.refresh().looks}


def test_workers_with_equal_pids_on_two_proxies_count_as_two(proxy):
    proxy.says(page(node(1, 1), pid=1))
    both = watch(proxy.url, proxy.url.replace('127.0.0.1', 'localhost')).refresh()
    assert {'10.0.0.1': (2, 2, None)} == rows(both)


def test_a_proxy_whose_workers_share_counts_gets_fewer_requests(proxy):
    proxy.says(*(page(node(1, 10), pid=pid, book=book(workers=8)) for pid in range(8)))
    view = watch(proxy.url).refresh()
    assert ({'10.0.0.1': (8, 10, None)}, 1) == (rows(view), len(view.looks))
    assert len(proxy.requests) <= 1 + poll.quiet_enough(1) + 3


def test_a_silent_proxy_is_listed_beside_one_that_answers(proxy):
    proxy.says(page(node(1, 1)))
    view = watch(proxy.url, 'http://127.0.0.1:1').refresh()
    assert {'10.0.0.1': (1, 1, None)} == rows(view)
    assert {'http://127.0.0.1:1': 'http://127.0.0.1:1 does not answer: Connection refused'
            } == view.unanswered


def test_a_silent_proxy_is_an_error_only_at_the_first_poll(proxy):
    clock = Clock()
    watched = watch(proxy.url, clock=clock)
    proxy.refuses(503)
    sentence = f'{proxy.url} answers 503 to a request for its status page'
    with pytest.raises(StatusError) as refused:
        watched.refresh()
    assert sentence == str(refused.value)
    proxy.says(page(node(1, 1)))
    watched.refresh()
    proxy.refuses(503)
    for _hour in range(2):
        clock.now += 3600.0
        view = watched.refresh()
        assert ({}, {proxy.url: sentence}) == (view.looks, view.unanswered)


def test_an_exception_in_a_polling_thread_is_raised():
    with pytest.raises(ZeroDivisionError):
        poll.together(lambda number: 1 // number, [1, 0])
