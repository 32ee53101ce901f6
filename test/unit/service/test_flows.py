"""How many requests per second a host's dispatchers hand on to whom, from the book they share."""
import pytest

from swift_lb.clock import monotonic
from swift_lb.model import Backend
from swift_lb.plan.flows import HANDED_ON
from swift_lb.plan.rates import OVER
from swift_lb.proxy.dispatch.ledger import Ledger
from swift_lb.proxy.host_book import HostBook
from swift_lb.service.local_proxy import ProxyBook
from swift_lb.service.monitor import DelegationRates, LoadMonitor, delegated_counts
from swift_lb.wire.node_report import MAX_FLOWS, MIN_RATE, largest

P2, P3 = Backend('10.0.0.2', 8080, 'p2'), Backend('10.0.0.3', 8080, 'p3')


class Host:
    """The dispatchers of a host, as many as workers, and the DelegationRates of its agent."""

    def __init__(self, path, workers=1):
        self.now, self.path = 100.0, path
        self.ledgers = [self.worker() for _worker in range(workers)]
        self.flows = DelegationRates(ProxyBook(str(path), lambda: self.now,
                                               delegated_counts))

    def worker(self):
        """Return the Ledger of one more."""
        book = HostBook(lambda: str(self.path), (), monotonic)
        assert book.attend() is None
        assert book.slot is not None
        return Ledger(lambda: book.book)

    def ask(self, backend, times=1, worker=0, ended='complete'):
        """Hand requests on to `backend`, each of which ends as the method of Read says."""
        for _time in range(times):
            read = self.ledgers[worker].begin(backend, monotonic())
            getattr(read, ended)(*[False] * (ended == 'fail'))

    def seen(self, seconds=1.0):
        """Let some time pass; return what the agent reports then."""
        self.now += seconds
        found = self.flows(self.now)
        return None if found is None else largest(found)


@pytest.fixture
def host(tmp_path):
    """The one worker of a host, which has asked both peers before, and an agent that has looked."""
    host = Host(tmp_path / 'p1.dispatch')
    host.ask(P2, 7)
    host.ask(P3)
    host.ledgers[0].chosen(Backend('10.0.0.1', 8080, 'p1'), monotonic())    # it asks nobody
    assert host.flows(host.now) == {}
    return host


def test_it_is_the_growth_per_second_the_largest_first(host):
    host.ask(P2, 3)
    host.ask(P3, 8)
    assert host.seen(2.0) == (('p3', 4.0), ('p2', 1.5))


def test_whatever_comes_of_it_a_request_was_handed_on(host):
    for ended in ('complete', 'fail'):
        host.ask(P2, ended=ended)
    assert host.seen() == (('p2', 2.0),)


def test_those_of_all_workers_count(tmp_path):
    host = Host(tmp_path / 'p1.dispatch', workers=3)
    for worker in range(3):
        host.ask(P2, worker=worker)
    host.flows(host.now)
    for worker in range(3):
        host.ask(P2, 2, worker)
    assert host.seen() == (('p2', 6.0),)


def test_it_is_the_mean_of_the_last_seconds(host):
    host.ask(P2, 10)
    found = [dict(host.seen()).get('p2') for _second in range(7)]
    assert found == [10.0, 5.0, pytest.approx(10 / 3), 2.5, 2.0, None, None]


def test_a_look_every_ten_seconds_is_of_these(host):
    for asked in (20, 0, 10):
        host.ask(P2, asked)
        assert dict(host.seen(2 * OVER)).get('p2', 0.0) == asked / 10


def test_what_is_less_than_one_in_twenty_seconds_is_nothing(host):
    host.ask(P2)
    assert host.seen(1 / MIN_RATE) == (('p2', MIN_RATE),)
    host.ask(P2)
    assert host.seen(1 / MIN_RATE + 1) == ()


def test_only_the_largest_are_told_and_all_together_in_a_metric_that_is_not_dampened(host):
    monitor = LoadMonitor({}, {}, 0.9, None, host.flows)
    backends = [Backend('10.0.1.1', 8000 + number, f'n{number}') for number in range(12)]
    for backend in backends:
        host.ask(backend)
    host.now += 1.0
    assert {HANDED_ON: 0.0} == monitor.read(host.now)
    for number, backend in enumerate(backends):
        host.ask(backend, number + 1)
    host.now += 6.0
    assert {HANDED_ON: pytest.approx(78 / 6)} == monitor.read(host.now)
    assert [node for node, _rate in monitor.flows] == [
        f'n{11 - place}' for place in range(MAX_FLOWS)]


def test_of_who_is_new_it_is_not_known_since_when(host):
    new = Backend('10.0.0.4', 8080, 'p4')
    host.ask(new, 1000)
    assert host.seen() == ()
    host.ask(new, 4)
    assert host.seen() == (('p4', 4.0),)


def test_a_node_that_has_moved_is_one(host):
    host.ask(P2._replace(ip='10.0.0.99'), 1)
    host.seen(6.0)
    host.ask(P2, 3)
    host.ask(P2._replace(ip='10.0.0.99'), 3)
    assert host.seen(6.0) == (('p2', 1.0),)


def test_a_book_made_anew_begins_anew(host):
    host.seen()
    host.path.unlink()
    host.ledgers = [host.worker()]
    host.ask(P2, 2)
    assert host.seen() == ()
    host.ask(P2, 3)
    assert host.seen() == (('p2', 3.0),)


def test_without_a_book_nothing_is_known(host):
    host.path.unlink()
    assert host.seen() is None
    assert {} == LoadMonitor({}, {}, 0.0, None, host.flows).read(host.now)
    host.ledgers = [host.worker()]
    assert host.seen() == ()


@pytest.mark.parametrize('name', ['', 'a b', '-x', 'ü', 'x' * 64])
def test_what_is_no_name_of_a_node_is_left_out(host, name):
    for _round in range(2):
        host.ask(Backend('10.0.0.9', 8080, name), 5)
        host.ask(P2, 2)
        found = host.seen(8.0)
    assert found == (('p2', 0.25),)


def test_counts_that_can_not_be_are_not_told(host):
    host.ledgers[0].of(P2)
    record = host.ledgers[0]._book()._records[host.ledgers[0].of(P2).node]
    record.successes = 1 << 63
    host.ask(P3, 5)
    assert host.seen() == (('p3', 5.0),)
