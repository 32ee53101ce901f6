"""The division of works among drivers and workers: shares, limits, pace, endpoints."""
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.wire.cosbench.model import Operation, Work
from swift_lb.workload.drivers import shares
from swift_lb.workload.limits import Limits, idle, left, limits, open_loop
from swift_lb.workload.tally import WorkTally, merge
from swift_lb.workload.worker import auth_url, missed, storage_url


@given(st.integers(1, 50), st.integers(1, 8), st.integers(1, 4))
def test_every_worker_of_every_work_runs_in_one_driver(workers, drivers, works):
    dealt = [shares([Work('w', workers=workers)] * works, place, drivers)
             for place in range(drivers)]
    for number in range(works):
        parts = [driver[number] for driver in dealt]
        assert sorted(index for share in parts for index in share.indexes) == list(
            range(1, workers + 1))
        busy = [share for share in parts if share.indexes]
        assert sorted(share.driver for share in busy) == list(range(len(busy)))
        assert {share.drivers for share in busy} == {len(busy)}
        assert max(len(s.indexes) for s in parts) - min(len(s.indexes) for s in parts) <= 1
        assert dealt[number % drivers][number].driver == 0    # works begin at different drivers


@pytest.mark.parametrize(('work', 'expected'), [
    (Work('w', runtime=60), Limits(100, 160, 160)),
    (Work('w', runtime=60, rampup=5, rampdown=7), Limits(105, 165, 172)),
    (Work('w', workers=3, total_ops=100, rampup=5), Limits(100, ops=33)),       # not 34, not 33.3
    (Work('w', workers=8, total_ops=5), Limits(100, ops=1)),                    # never "no limit"
    (Work('w', workers=4, total_bytes=1000), Limits(100, bytes=250)),
    (Work('w', workers=4, total_bytes=3), Limits(100, bytes=1)),
    (Work('w', workers=2, total_ops=10, runtime=60), Limits(100, 160, 160, 5)),
    (Work('w', type='prepare', workers=4, total_ops=4), Limits(100)),
])
def test_each_worker_gets_its_part_of_totalops_and_totalbytes(work, expected):
    assert limits(work, 100) == expected


def test_workers_beyond_the_number_of_operations_are_idle():
    work = Work('w', workers=8, total_ops=5)
    assert [idle(work, index) for index in range(1, 9)] == [False] * 5 + [True] * 3
    assert not any(idle(Work('w', workers=8, runtime=5), index) for index in range(1, 9))
    assert not any(idle(Work('w', type='init', workers=8, total_ops=5), i) for i in range(1, 9))


@pytest.mark.parametrize('drivers', [1, 2, 3])
def test_drivers_together_keep_the_rate_of_an_open_loop(drivers):
    due = [list(itertools.islice(open_loop(10, 50.0, driver, drivers), 30 // drivers))
           for driver in range(drivers)]
    assert sorted(itertools.chain.from_iterable(due)) == [
        pytest.approx(50.0 + n / 10) for n in range(30)]


@pytest.mark.parametrize(('skipped', 'rate', 'begin', 'end', 'expected'), [
    (0, 10, 50.0, 53.0, 30), (5, 10, 50.0, 53.0, 25), (0, 10, 51.0, 53.0, 20),
    (5, 10, 50.4, 53.0, 25), (30, 10, 50.0, 53.0, 0), (40, 10, 50.0, 53.0, 0),
    (0, 10, 50.05, 50.35, 3), (0, 1_000_000, 50.0, 3650.0, 3_600_000_000)])
def test_the_operations_still_due_in_an_open_loop_are_counted(skipped, rate, begin, end, expected):
    pace = itertools.islice(open_loop(rate, 50.0), skipped, None)
    assert left(pace, rate, begin, end) == pytest.approx(expected, abs=1e-6 * expected)


def test_missed_operations_are_divided_by_the_works_ratios():
    work = Work('w', runtime=9, operations=tuple(Operation(kind, ratio) for kind, ratio in (
        ('read', 80), ('write', 15), ('delete', 5))))
    tally = WorkTally(3, 1, 0.0, 9.0)
    missed(work, tally, 1001, 0.0)
    assert [op.unfinished for op in merge(work, 1, [tally.counts()]).ops] == [800, 150, 51]


LISTED = ('http://a:8080/v1/AUTH_x', 'http://b:8080/v1/AUTH_x')


@pytest.mark.parametrize(('session', 'listed', 'endpoints', 'expected'), [
    (None, LISTED, (), [LISTED[0], LISTED[1], LISTED[0]]),
    ('https://c/v1/AUTH_y', LISTED, (), ['https://c/v1/AUTH_y'] * 3),
    ('https://c/v1/AUTH_y', LISTED, ('http://p1:80', 'http://p2:80/'),
     ['http://p1:80/v1/AUTH_y', 'http://p2:80/v1/AUTH_y', 'http://p1:80/v1/AUTH_y']),
    (None, LISTED, ('https://p/v1/AUTH_z',), ['https://p/v1/AUTH_z'] * 3),
])
def test_workers_take_the_storage_urls_of_the_proxies_in_turn(session, listed, endpoints, expected):
    assert [storage_url(session, listed, endpoints, worker) for worker in range(3)] == expected


def test_a_login_at_tempauth_is_sent_to_a_host_of_option_endpoint():
    url = 'http://127.0.0.1:8080/auth/v1.0'
    assert auth_url(url, (), 1) == url
    assert auth_url(url, ('https://p1', 'http://p2:90/'), 1) == 'http://p2:90/auth/v1.0'
    assert auth_url(url, ('https://p1', 'http://p2:90/v1/AUTH_z'), 1) == 'https://p1/auth/v1.0'
    assert auth_url(url, ('http://p2:90/v1/AUTH_z',), 0) == url     # a storage URL gets no key
