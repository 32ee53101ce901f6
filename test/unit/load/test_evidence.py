"""The evidence of policies: each average worked by hand, and the events it receives."""
import math

import pytest
from unit.load.shared import NODES, SDA, SDB, SDC, load_of

from swift_lb.load import probe
from swift_lb.load.book import LoadBook
from swift_lb.load.evidence import Evidence
from swift_lb.load.feedback import Averages, Feedback, PulledFeedback
from swift_lb.load.median_time import TIMED_OUT, Median, MedianTime, Reservoir
from swift_lb.load.pace import Pace
from swift_lb.load.peak_time import FAILURE, Peak, PeakTime
from swift_lb.load.probe import Limit, Probe, ProbeResult, RecentInFlight
from swift_lb.model import UNKNOWN_LOAD, DeviceReport

KINDS = (Feedback, PulledFeedback, PeakTime, MedianTime, Probe)


def close(view):
    """Return a namedtuple like `view` that equals all with nearly the same numbers."""
    return view._make(pytest.approx(value) for value in view)


# ===== peak_time

@pytest.mark.parametrize(('samples', 'peak'), [
    ([(0.1, 1.0), (0.3, 2.0)], Peak(0.3, 2.0)),         # a greater sample counts at once
    ([(1.0, 0.0), (0.1, 10.0)],                         # a lesser one by its age
     Peak(math.exp(-1) * 1.0 + (1 - math.exp(-1)) * 0.1, 10.0)),
    ([(1.0, 0.0), (0.5, 20.0)], Peak(0.5, 20.0))])      # e^-2 = 0.135 s are left of the second
def test_peak_ewma_compares_samples_with_the_decayed_peak(samples, peak):
    evidence = PeakTime()
    for seconds, now in samples:
        evidence.answered(seconds, 0, now)
    assert evidence.view() == close(peak)


def test_peak_ewma_counts_a_failure_as_a_first_byte_time_of_5_s():
    evidence = PeakTime()
    evidence.began(7.0, 0)
    evidence.failed(False)
    assert evidence.view() == Peak(FAILURE, 7.0)


# ===== feedback


TEN, TWELVE, THREE = DeviceReport(10, 0.010), DeviceReport(12, 0.020), DeviceReport(3, 0.005)


@pytest.mark.parametrize(('kind', 'events', 'expected'), [
    # C3's weight of the new sample is 0.9: 0.9 x 12 + 0.1 x 10 = 11.8
    (Feedback, [(0.100, 0), TEN, (0.200, 0), TWELVE], Averages(0.190, 0.019, 11.8)),
    # Elasticsearch's is 0.3, and the last service time counts: 0.3 x 12 + 0.7 x 10 = 10.6
    (PulledFeedback, [(0.100, 0), TEN, (0.200, 0), TWELVE], Averages(0.130, 0.020, 10)),
    # without reports the service time is the wait per read ahead: 100 ms / (4 + 1), 80 ms / 1
    (Feedback, [(0.100, 4), (0.080, 0)], Averages(0.082, 0.9 * 0.080 + 0.1 * 0.020, 0)),
    (PulledFeedback, [(0.100, 4), (0.080, 0)], Averages(0.094, 0.3 * 0.080 + 0.7 * 0.020, 0)),
    # the first report, which comes with the head or after the first byte, replaces that
    *((kind, [(0.100, 0), *events], Averages(0.100, 0.005, 3))
      for kind in (Feedback, PulledFeedback)
      for events in ([(0.100, 0), THREE], [THREE, (0.100, 0)]))])
def test_c3_and_elastic_averages_equal_those_worked_by_hand(kind, events, expected):
    evidence = kind()
    for event in events:
        if isinstance(event, DeviceReport):
            evidence.reported(event, 0, 1.0)
        else:
            evidence.answered(*event, 1.0)
    assert evidence.view() == close(expected)


def test_elastic_averages_stay_if_the_first_node_ordered_has_none():
    known, unknown = PulledFeedback(), PulledFeedback()
    known.answered(0.1, 0, 1.0)
    before = known.view()
    PulledFeedback.ordered([unknown, known], 2.0)
    assert (known.view(), unknown.view()) == (before, None)


# ===== reservoir, median_time

def reservoir_of(*batches):
    """Return a Reservoir to which each batch, (values, instant), was added in turn."""
    reservoir = Reservoir()
    for values, now in batches:
        for value in values:
            reservoir.add(value, now)
    return reservoir


def test_a_reservoir_keeps_at_most_100_first_byte_times():
    reservoir = reservoir_of((range(1000), 1.0))
    assert len(reservoir._kept) == 100
    # of equal weights it is a fair sample: the median of 0..999, give or take
    assert reservoir.median() == pytest.approx(500, abs=100)


@pytest.mark.parametrize(('batches', 'median'), [
    ([([3.0], 1.0)], 3.0), ([([3.0, 1.0], 1.0)], 1.0), ([([3.0, 1.0, 2.0], 1.0)], 2.0),
    ([([5.0, 5.0, 1.0], 1.0)], 5.0),
    # e^(0.75 x 4) = 20.1: 4 values that are 4 s younger weigh 80.3 and the 96 old ones left 96;
    # 5 weigh 100.4 and the 95 left 95
    ([([0.010] * 100, 10.0), ([0.050] * 4, 14.0)], 0.010),
    ([([0.010] * 100, 10.0), ([0.050] * 5, 14.0)], 0.050),
    # years do not overflow
    ([([0.001], year * 3e7) for year in range(5)], 0.001)])
def test_recent_times_weigh_more_in_cassandras_median(batches, median):
    assert median == reservoir_of(*batches).median()


def test_cassandras_medians_are_updated_ten_times_a_second():
    evidence = MedianTime()
    evidence.answered(0.010, 0, 0.01)
    for number in range(3):
        evidence.answered(0.050, 0, 0.02 + number * 0.01)
    assert evidence.view() == Median(0.010)
    MedianTime.ordered([evidence], 0.09)
    assert evidence.view() == Median(0.010)
    MedianTime.ordered([evidence], 0.11)    # nothing has come since, but it is due
    assert evidence.view() == Median(0.050)


def test_cassandras_medians_are_wiped_every_ten_minutes():
    pair = MedianTime(), MedianTime()
    for evidence in pair:
        evidence.answered(0.010, 0, 500.0)
    MedianTime.ordered(pair, 599.9)
    assert [Median(0.010)] * 2 == [evidence.view() for evidence in pair]
    MedianTime.ordered(pair, 600.1)
    assert [None, None] == [evidence.view() for evidence in pair]
    pair[0].answered(0.020, 0, 600.3)
    assert [Median(0.020), None] == [evidence.view() for evidence in pair]


def test_a_timeout_counts_as_a_time_of_10_s_other_errors_do_not():
    evidence = MedianTime()
    evidence.began(1.0, 0)
    evidence.failed(False)
    assert evidence.view() is None
    evidence.failed(True)
    assert evidence.view() == Median(TIMED_OUT)


# ===== probe

def test_prequals_hot_limit_is_the_p84_of_in_flight_of_64_reads():
    recent = RecentInFlight()
    assert recent.view() is None
    for in_flight in (9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 10):
        recent.add(in_flight)
    assert recent.view() == Limit(8)        # place int(10 x 0.84) of 0..10
    for _answer in range(probe.RECENT):
        recent.add(2)
    assert recent.view() == Limit(2)
    recent.add(7)
    assert [2] * 63 + [7] == recent._sorted


@pytest.mark.parametrize('head_first', [True, False])
def test_prequal_uses_a_nodes_report_as_the_probe(head_first):
    evidence = Probe(RecentInFlight())
    if head_first:
        evidence.reported(DeviceReport(4, 0.010), 0, 1.0)
    evidence.answered(0.500, 9, 1.0)
    if not head_first:
        evidence.reported(DeviceReport(4, 0.010), 0, 1.0)
    assert evidence.view() == close(ProbeResult(4, 0.050, 1.0))


@pytest.mark.parametrize('reports', [(), (1.0,)])
def test_prequal_uses_answers_as_probes_without_recent_reports(reports):
    evidence = Probe(RecentInFlight())
    for now in reports:
        evidence.reported(DeviceReport(4, 0.010), 0, now)
    evidence.answered(0.070, 3, 2.5)
    assert evidence.view() == ProbeResult(3, 0.070, 2.5)


# ===== the book

class Recorded(Evidence):
    """Evidence whose view is a tuple of all its events, (name, argument, ...)."""

    def __init__(self):
        self.events = []

    def view(self):
        return tuple(self.events)


for event in ('began', 'answered', 'reported', 'refused', 'failed', 'streamed'):
    setattr(Recorded, event, lambda self, *facts, event=event: self.events.append((event, *facts)))


def test_evidence_receives_every_event_of_a_read():
    book = LoadBook((Recorded,))
    other, read = book.begin(SDA, 1.0), book.begin(SDA, 2.0)
    read.sent(2.5)
    read.chunk(10, 3.0)
    read.reported(DeviceReport(1, 0.1), 3.0)
    read.complete()
    other.refused(4.0)
    book.begin(SDA, 5.0).fail(True)
    assert load_of(book).evidence[Recorded] == (
        ('began', 1.0, 0), ('began', 2.0, 1), ('answered', 0.5, 1, 3.0),
        ('reported', DeviceReport(1, 0.1), 1, 3.0), ('streamed', 0, 0.0, 3.0), ('refused', 4.0),
        ('began', 5.0, 0), ('failed', True))


def test_a_nodes_report_counts_once_the_answers_head_has_come():
    book = LoadBook((Recorded,))
    others = [book.begin(SDA, 1.0) for _read in range(2)]
    read = book.begin(SDA, 1.0)
    read.reported(DeviceReport(6, 0.1), 1.25)
    read.head(1.25)
    for other in others:
        other.complete()
    read.wait(3.0)          # another fragment's head has come at last
    read.chunk(10, 3.25)
    load = load_of(book)
    assert (DeviceReport(6, 0.1), 1.25) == (load.report, load.reported_at)
    assert load.evidence[Recorded][3:] == (
        ('reported', DeviceReport(6, 0.1), 2, 1.25), ('answered', 0.5, 6, 3.25))


@pytest.mark.parametrize('kind', [MedianTime, Pace, Probe, PulledFeedback])
def test_a_snapshot_after_an_order_shows_the_changed_evidence(kind):
    def after(looks):
        book = LoadBook((kind,))
        for number, node in enumerate((SDA, SDB)):
            read = book.begin(node, 1.0)
            read.reported(DeviceReport(number, 0.1), 2.0)
            read.chunk(1, 2.0 + number)
            read.complete()
        for _look in range(looks):
            book.snapshot()
        book.chosen(SDA, 1300.0, [SDB])
        return book.snapshot().loads
    assert after(looks=1) == after(looks=0)


def test_a_snapshots_met_counts_all_nodes_that_were_ever_read():
    for kinds in ((), KINDS):
        book = LoadBook(kinds)
        for node in NODES[:2]:
            book.begin(node, 1.0).chunk(1, 2.0)
        book.chosen(SDA, 2.0, [SDB, SDC])       # SDC was never read, so never met
        snapshot = book.snapshot([SDA, SDC])
        assert (set(kinds), 2) == (set(snapshot.of(SDA).evidence), snapshot.met)
        assert UNKNOWN_LOAD == snapshot.of(SDC)


def test_a_snapshot_of_one_node_has_facts_common_to_all_nodes():
    book = LoadBook((Probe,))
    for ahead, node in enumerate(NODES):
        reads = [book.begin(node, 1.0) for _read in range(ahead + 1)]
        reads[-1].chunk(1, 2.0)
    assert {Probe: Limit(1)} == book.snapshot([SDA]).common
