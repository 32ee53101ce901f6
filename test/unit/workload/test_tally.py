"""WorkTally: counts and rates worked by hand, and the sum of several drivers' tallies."""
import pickle
from dataclasses import replace
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swift_lb.wire.cosbench.model import Operation, Work
from swift_lb.workload.result import Progress
from swift_lb.workload.tally import MAX_MICROSECONDS, WorkTally, merge

READ, WRITE = 0, 1
WORK = Work('main', operations=(Operation('read', name='read'), Operation('write', name='write')))


def counted(*tallies):
    """Return [OpResult] of the operations of WORK, merged from one WorkTally of each driver."""
    return merge(WORK, 1, [pickle.loads(pickle.dumps(tally.counts())) for tally in tallies]).ops


def test_counts_and_rates_equal_ones_worked_by_hand():
    tally = WorkTally(2, 2, 100.0, 110.0)
    tally.success(READ, 0, 99.0, 99.5, 0.1, 1000)        # ramp-up
    tally.success(READ, 0, 99.5, 100.5, 0.1, 1000)       # began before begin
    tally.success(READ, 0, 100.5, 101.0, 0.2, 1000)      # worker 0 counts from 100.5
    tally.failure(WRITE, 0, 101.0, 102.0, 'HTTP 503')
    tally.success(WRITE, 0, 102.0, 104.5, 1.0, 4000)     # to 104.5: 4 s, 2 successes
    tally.success(READ, 1, 100.0, 108.0, 0.4, 3000)      # began at begin: counted
    tally.success(WRITE, 1, 108.0, 110.0, 0.5, 5000)     # ended at end: counted; 10 s in all
    tally.success(READ, 0, 109.0, 110.1, 0.1, 1000)      # crosses end
    tally.failure(READ, 1, 110.0, 111.0, 'HTTP 503')     # ramp-down
    read, write = counted(WorkTally(2, 3, 0.0, 1.0), tally, WorkTally(2, 0, 0.0, 1.0))
    assert (read.successes, read.failures, read.bytes, read.reasons) == (2, 0, 4000, {})
    assert (write.successes, write.failures, write.bytes) == (2, 1, 9000)
    assert write.reasons == {'HTTP 503': 1}
    assert (read.response_time, write.transfer_time) == pytest.approx((8.5, 1.5))
    assert read.throughput == write.throughput == pytest.approx(1 / 4 + 1 / 10)
    assert write.bandwidth == pytest.approx(4000 / 4 + 5000 / 10)
    assert tally.progress() == (       # of what was outside the window too
        Progress(5, 1, 7000, pytest.approx(0.5 + 1.0 + 0.5 + 8.0 + 1.1), pytest.approx(0.9)),
        Progress(2, 1, 9000, pytest.approx(4.5), pytest.approx(1.5)))


def test_a_failure_extends_its_workers_measured_window():
    tally = WorkTally(1, 1, 0.0, inf)
    tally.success(0, 0, 10.0, 11.0, 0.0, 100)
    tally.failure(0, 0, 11.0, 14.0, 'timed out')
    op, = merge(Work('one', operations=(Operation('read'),)), 1, [tally.counts()]).ops
    assert op.throughput == pytest.approx(1 / 4)
    assert op.response_time == pytest.approx(1.0)
    assert op.histogram.get_total_count() == sum(op.buckets.values()) == 1


@pytest.mark.parametrize(('began', 'ended', 'inside'), [
    (100.0, 100.0, False),    # ended at begin: COSBench wants it later
    (100.0, 100.1, True),
    (99.9, 100.1, False),
    (109.9, 110.0, True),
    (109.9, 110.1, False),
    (110.0, 110.0, False),    # began at end
])
def test_operations_crossing_the_windows_edge_are_not_counted(began, ended, inside):
    tally = WorkTally(2, 1, 100.0, 110.0)
    tally.success(READ, 0, began, ended, 0.0, 1)
    tally.failure(WRITE, 0, began, ended, 'reset')
    read, write = counted(tally)
    assert read.successes == write.failures == inside


def test_a_window_of_length_0_has_no_throughput():
    tally = WorkTally(2, 1, 0.0, inf)
    tally.success(READ, 0, 5.0, 5.0, 0.0, 1)
    read, _ = counted(tally)
    assert (read.successes, read.throughput, read.bandwidth) == (1, 0.0, 0.0)


@pytest.mark.parametrize(('seconds', 'bucket', 'microseconds'), [
    (0.0000001, 0, 1), (0.009999, 0, 9_999), (0.01, 1, 10_000), (0.019, 1, 19_000),
    (499.9999, 49_999, 499_999_900), (500.0, 50_000, 500_000_000),
    (9000.0, 50_000, MAX_MICROSECONDS),
])
def test_response_times_over_an_hour_are_recorded_as_an_hour(seconds, bucket, microseconds):
    tally = WorkTally(2, 1, 0.0, inf)
    tally.success(READ, 0, 0.0, seconds, 0.0, 1)
    read, _ = counted(tally)
    assert dict(read.buckets) == {bucket: 1}
    assert read.histogram.get_max_value() == pytest.approx(microseconds, rel=1e-3, abs=1)


def test_resent_requests_are_counted_for_their_operation():
    tally = WorkTally(2, 1, 10.0, 20.0)
    tally.success(READ, 0, 11.0, 12.0, 0.0, 1, 1)
    tally.success(READ, 0, 12.0, 13.0, 0.0, 1)
    tally.failure(WRITE, 0, 13.0, 14.0, 'HTTP 503', 1)
    tally.success(WRITE, 0, 14.0, 15.0, 0.0, 1, 2)       # several requests: a container emptied
    tally.success(READ, 0, 9.0, 11.0, 0.0, 1, 1)         # outside, as all of it
    tally.failure(READ, 0, 19.0, 21.0, 'timeout', 1)
    assert [op.resent for op in counted(tally)] == [1, 3]
    assert [op.resent for op in counted(tally, tally)] == [2, 6]


samples = st.lists(st.tuples(
    st.sampled_from([READ, WRITE]), st.integers(0, 5), st.floats(0, 30), st.floats(0, 20),
    st.integers(0, 10**9), st.sampled_from([None, None, None, 'HTTP 503', 'reset'])))


@settings(deadline=None, max_examples=40)  # a histogram is 23,552 counters long
@given(samples, st.integers(1, 5))
def test_results_do_not_depend_on_the_number_of_drivers(samples, split):
    whole = WorkTally(2, 6, 5.0, 25.0)
    parts = [WorkTally(2, split, 5.0, 25.0), WorkTally(2, 6 - split, 5.0, 25.0)]
    for operation, worker, began, took, size, reason in samples:
        part, own = (parts[0], worker) if worker < split else (parts[1], worker - split)
        for tally, number in ((whole, worker), (part, own)):
            if reason:
                tally.failure(operation, number, began, began + took, reason)
            else:
                tally.success(operation, number, began, began + took, took / 2, size)
    for one, summed in zip(counted(whole), counted(*parts), strict=True):
        sums = {name: pytest.approx(getattr(summed, name)) for name in (
            'response_time', 'transfer_time', 'throughput', 'bandwidth')}
        assert replace(one, histogram=None) == replace(summed, histogram=None, **sums)
        assert one.histogram.encode() == summed.histogram.encode()
        assert one.histogram.get_max_value() == summed.histogram.get_max_value()
    for one, *summed in zip(whole.progress(), *(part.progress() for part in parts), strict=True):
        assert one == pytest.approx([sum(values) for values in zip(*summed, strict=True)])


def test_an_operation_ending_after_the_window_is_unfinished():
    tally = WorkTally(1, 1, 10.0, 20.0)
    tally.success(0, 0, 19.0, 20.5, 0.0, 1)              # ended too late
    tally.failure(0, 0, 19.5, 21.0, 'timeout')           # likewise
    tally.unfinished(0, 19.9)                            # was cut off
    tally.success(0, 0, 9.0, 10.5, 0.0, 1)               # began before
    tally.unfinished(0, 20.0)                            # began after
    tally.success(0, 0, 12.0, 13.0, 0.0, 1)
    op = merge(Work('w', operations=(Operation('read'),)), 1, [tally.counts()] * 2).ops[0]
    assert (op.successes, op.failures, op.unfinished) == (2, 0, 6)
