"""LoadMonitor: dampened readings, plug-ins that fail, and rates of delegated requests."""
import pytest
from support.one_agent import SetSensor

from swift_lb.clock import monotonic
from swift_lb.dispatch.ledger import Ledger
from swift_lb.model import Backend
from swift_lb.plan.flows import HANDED_ON
from swift_lb.plan.smoothing import RATE_SECONDS
from swift_lb.proxy.host_book import HostBook
from swift_lb.service.local_proxy import ProxyBook
from swift_lb.service.monitor import DelegationRates, LoadMonitor, delegated_counts
from swift_lb.wire.node_report import MAX_FLOWS, MIN_RATE, largest

P2, P3 = Backend('10.0.0.2', 8080, 'p2'), Backend('10.0.0.3', 8080, 'p3')


@pytest.fixture
def log():
    """Return an empty list, to which a monitor logs (metric, error) pairs."""
    return []


def monitor(log, dampening=0.0, own=(), **values):
    """Return (LoadMonitor, {metric: sensor with this value}); `own` is {metric: its dampening}."""
    sensors = {name: SetSensor(value) for name, value in values.items()}
    return LoadMonitor(sensors, dict(own), dampening, lambda *fault: log.append(fault)), sensors


def test_a_metric_has_its_own_dampening_or_the_default_one(log):
    one, sensors = monitor(log, 0.5, {'disk': 0.9}, cpu=0.0, disk=0.0)
    assert one.read(0.0) == {'cpu': 0.0, 'disk': 0.0}
    sensors['cpu'].value = sensors['disk'].value = 100.0
    assert one.read(1.0) == {'cpu': 50.0, 'disk': pytest.approx(10.0)}
    assert one.raw == {'cpu': 100.0, 'disk': 100.0}
    assert one.read(2.0) == {'cpu': 75.0, 'disk': pytest.approx(19.0)}


@pytest.mark.parametrize('value', [
    None, float('nan'), float('inf'), -float('inf'), 1e16, -1e16, 10**400, 'much', [], object,
    RuntimeError('broken'), KeyError('x'), RecursionError(), MemoryError()], ids=repr)
def test_a_reading_that_is_no_finite_number_is_unknown(log, value):
    one, sensors = monitor(log, 0.5, own=(), mine=value, cpu=0.25)
    for _read in range(2):
        assert one.read(0.0) == {'cpu': 0.25}
    assert one.raw == {'cpu': 0.25}
    assert one.unknown() == {'mine': 'the test set no value'}
    assert log == [('mine', value)] * 2 or not isinstance(value, Exception)
    assert {name for name, _err in log} <= {'mine'}
    sensors['mine'].value = 4
    assert one.read(1.0)['mine'] == 4.0       # without the earlier value


@pytest.mark.parametrize(('value', 'number'), [(True, 1.0), ('2.5', 2.5), (7, 7.0)])
def test_a_sensors_reading_is_converted_to_a_number(log, value, number):
    assert monitor(log, mine=value)[0].read(0.0) == {'mine': number}


def test_an_unknown_reading_of_a_plug_in_always_has_a_reason(log):
    class Silent:
        def read(self, _now):
            return None
    one = LoadMonitor({'mine': Silent()}, {}, 0.0, lambda *fault: log.append(fault))
    one.read(0.0)
    assert one.unknown() == {'mine': 'no reason is given'}


# -- rates of delegated requests, from the book that dispatchers share


class Host:
    """A host's Ledgers of delegated requests, one a worker, and its agent's DelegationRates."""

    def __init__(self, path, workers=1):
        self.now, self.path = 100.0, path
        self.ledgers = [self.worker() for _worker in range(workers)]
        self.flows = DelegationRates(ProxyBook(str(path), lambda: self.now, delegated_counts))

    def worker(self):
        """Return the Ledger of one more worker."""
        book = HostBook(lambda: str(self.path), (), monotonic)
        assert book.attend() is None
        assert book.slot is not None
        return Ledger(lambda: book.book)

    def delegate(self, backend, times=1, worker=0, ended='complete'):
        """Delegate `times` requests to `backend`; each ends by Read's method `ended`."""
        for _time in range(times):
            read = self.ledgers[worker].begin(backend, monotonic())
            getattr(read, ended)(*[False] * (ended == 'fail'))

    def flows_after(self, seconds=1.0):
        """Advance the clock; return the next report's ((node, requests/s), ...), or None."""
        self.now += seconds
        rates = self.flows(self.now)
        return None if rates is None else largest(rates)


@pytest.fixture
def host(tmp_path):
    """Return a Host with one worker, whose agent first reads the book after it has delegated."""
    host = Host(tmp_path / 'p1.dispatch')
    host.delegate(P2, 7)
    host.delegate(P3)
    host.ledgers[0].chosen(Backend('10.0.0.1', 8080, 'p1'), monotonic())    # serves itself
    assert host.flows(host.now) == {}
    return host


def test_a_delegation_rate_is_the_requests_ended_per_second(host):
    host.delegate(P2, 1)
    host.delegate(P2, 2, ended='fail')
    host.delegate(P3, 8)
    assert host.flows_after(2.0) == (('p3', 4.0), ('p2', 1.5))


def test_a_delegation_rate_is_summed_over_all_proxy_workers(tmp_path):
    host = Host(tmp_path / 'p1.dispatch', workers=3)
    for worker in range(3):
        host.delegate(P2, worker=worker)
    host.flows(host.now)
    for worker in range(3):
        host.delegate(P2, 2, worker)
    assert host.flows_after() == (('p2', 6.0),)


def test_a_delegation_rate_is_the_mean_of_the_last_5_seconds(host):
    host.delegate(P2, 10)
    rates = [dict(host.flows_after()).get('p2') for _second in range(7)]
    assert rates == [10.0, 5.0, pytest.approx(10 / 3), 2.5, 2.0, None, None]


def test_delegation_rates_are_per_second_for_any_interval(host):
    for delegated in (20, 0, 10):
        host.delegate(P2, delegated)
        assert dict(host.flows_after(2 * RATE_SECONDS)).get('p2', 0.0) == delegated / 10


def test_a_delegation_rate_below_the_minimum_is_left_out(host):
    host.delegate(P2)
    assert host.flows_after(1 / MIN_RATE) == (('p2', MIN_RATE),)
    host.delegate(P2)
    assert host.flows_after(1 / MIN_RATE + 1) == ()


def test_the_total_delegation_rate_is_not_dampened(host):
    monitor = LoadMonitor({}, {}, 0.9, None, host.flows)
    backends = [Backend('10.0.1.1', 8000 + number, f'n{number}') for number in range(12)]
    for backend in backends:
        host.delegate(backend)
    host.now += 1.0
    assert {HANDED_ON: 0.0} == monitor.read(host.now)
    for number, backend in enumerate(backends):
        host.delegate(backend, number + 1)
    host.now += 6.0
    assert {HANDED_ON: pytest.approx(78 / 6)} == monitor.read(host.now)
    assert [node for node, _rate in monitor.flows] == [
        f'n{11 - place}' for place in range(MAX_FLOWS)]


def test_requests_counted_before_the_first_reading_give_no_rate(host):
    new = Backend('10.0.0.4', 8080, 'p4')
    host.delegate(new, 1000)
    assert host.flows_after() == ()
    host.delegate(new, 4)
    assert host.flows_after() == (('p4', 4.0),)


def test_a_node_with_two_addresses_has_one_delegation_rate(host):
    host.delegate(P2._replace(ip='10.0.0.99'), 1)
    host.flows_after(6.0)
    host.delegate(P2, 3)
    host.delegate(P2._replace(ip='10.0.0.99'), 3)
    assert host.flows_after(6.0) == (('p2', 1.0),)


def test_delegation_rates_start_again_with_a_new_file_of_counts(host):
    host.flows_after()
    host.path.unlink()
    host.ledgers = [host.worker()]
    host.delegate(P2, 2)
    assert host.flows_after() == ()
    host.delegate(P2, 3)
    assert host.flows_after() == (('p2', 3.0),)


def test_delegation_rates_are_unknown_without_a_file_of_counts(host):
    host.path.unlink()
    assert host.flows_after() is None
    assert {} == LoadMonitor({}, {}, 0.0, None, host.flows).read(host.now)
    host.ledgers = [host.worker()]
    assert host.flows_after() == ()


@pytest.mark.parametrize('name', ['', 'a b', '-x', 'ü', 'x' * 64])
def test_delegations_to_a_peer_without_a_node_name_are_left_out(host, name):
    for _round in range(2):
        host.delegate(Backend('10.0.0.9', 8080, name), 5)
        host.delegate(P2, 2)
        flows = host.flows_after(8.0)
    assert flows == (('p2', 0.25),)


def test_impossible_counts_of_delegations_are_left_out(host):
    host.ledgers[0].record(P2)
    record = host.ledgers[0]._book()._records[host.ledgers[0].record(P2).node]
    record.successes = 1 << 63
    host.delegate(P3, 5)
    assert host.flows_after() == (('p3', 5.0),)
