"""The Pace, what policy `adaptive` knows of a device: its samples and others' requests."""
import math
import random

import pytest
from unit.load.shared import SDA, books, load_of

from swift_lb.load.book import LoadBook
from swift_lb.load.pace import FAILURE, TAU, FleetPace, Pace, faded
from swift_lb.model import DeviceReport


def answer(pace, at, sample=0.010, later=0.0):
    """Let a read begin at `at`; `later` s after that its first byte, `sample` s, is noted."""
    pace.began(at, 0)
    pace.answered(sample, 0, at + later)


def answered(*samples, every=1.0, pace=None):
    """Return a Pace to which reads of `samples` seconds were added, one `every` seconds."""
    pace = pace or Pace(FleetPace())
    for number, sample in enumerate(samples):
        answer(pace, number * every, sample)
    return pace


@pytest.fixture(params=['private', 'shared'])
def book(request):
    """Return a book that keeps a Pace of each device: first a LoadBook, then a SharedBook."""
    return LoadBook([Pace]) if request.param == 'private' else books(1)[1][0]


def test_older_samples_count_less_in_a_devices_mean_time():
    view = answered(0.010, 0.020).view()
    weight = math.exp(-1 / TAU) + 1
    assert view.weight == pytest.approx(weight)
    assert view.seconds == pytest.approx(0.010 + 0.010 / weight)
    assert faded(view.at, view.at + TAU) == pytest.approx(1 / math.e)


def test_the_weight_of_a_mean_is_the_number_of_recent_samples():
    assert answered(*[0.01] * 5000, every=0.01).view().weight == pytest.approx(100 * TAU, rel=0.01)


def test_first_byte_times_are_divided_by_the_reported_requests(book):
    read = book.begin(SDA, 100.0)
    read.reported(DeviceReport(4, 0.010), 100.05)
    read.head(100.05)
    read.wait(100.35)       # the head of another fragment was not there before
    read.first_byte_came(100.35)
    assert load_of(book).evidence[Pace].seconds == pytest.approx(0.010)
    read.complete()
    book.begin(SDA, 100.35).first_byte_came(100.40)       # of another read it says nothing
    assert load_of(book).evidence[Pace].seconds > 0.020


def test_a_devices_change_of_speed_shows_after_a_few_reads():
    pace = answered(*[0.010] * 300, every=0.01)
    assert pace.view().weight > 100
    for number in range(12):
        answer(pace, 3.0 + number * 0.01, 0.100)
    assert pace.view().seconds > 0.05      # a plain mean over 200 would be at 0.015


def test_random_times_are_not_taken_for_a_change_of_speed():
    draw = random.Random(1).expovariate
    pace = answered(*[draw(100) for _read in range(3000)], every=0.01)
    assert pace.view().weight > 50
    assert pace.view().seconds == pytest.approx(0.010, rel=0.25)


@pytest.mark.parametrize(('events', 'counts'), [
    ('f', False), ('faaf', False),      # one among answers does not predict the next read
    ('ff', True), ('faf', True)])
def test_only_repeated_failures_slow_a_devices_pace(events, counts):
    fleet = FleetPace()
    pace = answered(*[0.010] * 20, pace=Pace(fleet))
    for at, event in enumerate(events, 20):
        if event == 'a':
            answer(pace, at)
        else:
            pace.began(at, 0)
            pace.failed(False)
    assert counts == (pace.view().seconds > 0.2)
    assert counts or pace.view().seconds == pytest.approx(0.010)
    assert fleet.view().typical == pytest.approx(0.010, rel=0.05)


def test_a_device_that_only_fails_has_a_pace_of_five_seconds():
    pace = Pace(FleetPace())
    for at in (1.0, 1.1):
        pace.began(at, 0)
        pace.failed(False)
    assert pace.view().seconds == FAILURE


def test_reported_requests_of_other_proxies_fade_with_age():
    pace = answered(0.010)
    for number in range(40):
        pace.reported(DeviceReport(20, 0.01), 0, number * 0.1)
    assert pace.view().others == pytest.approx(20.0)
    pace.reported(DeviceReport(0, 0.01), 0, 4.0 + 3 * TAU)
    assert pace.view().others < 20.0 * 0.55     # 20 reports weigh one, after three TAU
    pace.reported(DeviceReport(0, 0.01), 0, 4.0 + 6 * TAU)
    assert pace.view().others < 1.0


def test_other_proxies_requests_are_reported_minus_own_ones():
    pace = Pace(FleetPace())
    pace.reported(DeviceReport(7, 0.01), 2, 0.1)
    assert (5.0, 0.0) == (pace.view().others, pace.view().surplus)
    pace.reported(DeviceReport(1, 0.01), 2, 0.2)   # ours have not come yet: never < 0
    assert (2.5, -2.5) == pytest.approx((pace.view().others, pace.view().surplus), abs=0.02)


def test_the_typical_pace_is_the_median_of_all_samples():
    fleet = FleetPace()
    for _round in range(300):
        for sample in (0.001, 0.010, 0.5):
            fleet.add_sample(sample)
    assert fleet.view().typical == pytest.approx(0.010, rel=0.1)


def test_a_read_paused_by_its_client_does_not_load_the_device(book):
    """The node does not count it either: else it would hide a request of another proxy."""
    streams = [book.begin(SDA, 100.0) for _read in range(3)]
    for read in streams:
        read.chunk(65536, 100.01)
    streams[0].wait(100.02)
    read = book.begin(SDA, 101.0)
    waiting = book.begin(SDA, 101.0)
    read.wait(101.0)
    read.reported(DeviceReport(9, 0.010), 101.01)
    read.first_byte_came(101.01)
    load = load_of(book)
    assert (5, 1, 3, 2) == (load.in_flight, load.queued, load.waiting, load.streaming)
    assert 9 - 2 == load.evidence[Pace].others
    for each in (*streams, read, waiting):
        each.end()
    load = load_of(book)
    assert (0, 0, 0, 0) == (load.in_flight, load.queued, load.waiting, load.streaming)


def test_a_404_counts_as_progress_but_not_as_a_sample_of_the_pace(book):
    queue = [book.begin(SDA, 100.0) for _read in range(2)]
    queue[0].refused(100.4)
    load = load_of(book)
    assert (100.4, 0.0) == (load.evidence[Pace].progress_at, load.evidence[Pace].weight)
    assert (1, 0, 0) == (load.queued, load.errors, load.successes)
    queue[1].fail(False)
    queue[1].refused(100.8)         # it has been blamed for its answer
    load = load_of(book)
    assert (100.4, 1, 0) == (load.evidence[Pace].progress_at, load.errors, load.in_flight)


def test_at_most_one_order_in_two_hundred_sends_a_probe():
    fleet, now = FleetPace(), 100.0
    idle, busy = Pace(fleet), Pace(fleet)
    idle.began(0.0, 0)
    probes = 0
    for _order in range(1000):
        probing = fleet.view().may_probe
        probes += probing
        busy.began(now, 0)
        (idle if probing else busy).put_first(now)
    assert 4 <= probes <= 5


def test_no_probe_is_spent_on_a_device_that_was_just_read():
    fleet = FleetPace()
    pace = Pace(fleet)
    for order in range(250):
        pace.began(order * 0.1, 0)
        pace.put_first(order * 0.1 + 0.05)
    assert fleet.view().may_probe


def test_a_read_that_streams_for_long_is_not_late(book):
    """Else its next read would seem to have waited since the stream began."""
    stream = book.begin(SDA, 100.0)
    stream.chunk(65536, 100.01)
    first, second = book.begin(SDA, 160.0), book.begin(SDA, 160.5)
    assert 160.0 == load_of(book).evidence[Pace].progress_at
    assert (1, 2) == (stream.first_byte_time is not None, load_of(book).queued)
    del first, second


def test_chunks_after_the_first_are_timed_per_chunk(book):
    for begun in (0.0, 1.0):
        read = book.begin(SDA, begun)
        read.chunk(65536, begun + 0.010)
        for number in (1, 2, 3):
            read.wait(begun + number)                   # the client was busy for most of a second
            read.chunk(65536, begun + number + 0.002)
        read.complete()
    snapshot = book.snapshot()
    pace = snapshot.loads[SDA].evidence[Pace]
    assert pace.further_seconds == pytest.approx(0.002)
    assert pace.further_weight == pytest.approx(1 + math.exp(-1 / TAU))
    assert snapshot.common[Pace].further == pytest.approx(3 * (1 - (1 - 1 / 256) ** 2))


def probed(pace, at, sample):
    """Let a read of `pace` be answered `sample` seconds after the instant `at`."""
    answer(pace, at, sample, later=sample)


def test_a_probe_of_an_idle_device_outweighs_its_old_samples():
    pace = answered(*[0.400] * 200, every=0.1)
    now = 20.0 + FleetPace.IDLE
    probed(pace, now, 0.020)
    assert pace.view().weight == pytest.approx(2 * math.exp(-2.12 / TAU) + 1, rel=0.01)
    assert pace.view().seconds < 0.300


def test_a_surprisingly_fast_probe_may_be_repeated_at_once():
    mended, slow = [answered(*[0.400] * 20) for _device in range(2)]
    probed(mended, 30.0, 0.020)
    assert mended.view().asked_at <= 30.020 - FleetPace.IDLE
    probed(slow, 30.0, 0.380)
    assert slow.view().asked_at == 30.0
    for number in range(6):
        probed(mended, 31.0 + number, 0.020)
    assert mended.view().seconds < 0.060


def test_a_fast_answer_of_a_device_in_use_is_no_probe():
    pace = answered(*[0.400] * 20)
    probed(pace, 20.0, 0.020)
    assert pace.view().asked_at == 20.0
