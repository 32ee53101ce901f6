"""For how long a peer that has failed is left alone."""
from swift_lb.dispatch.ledger import BackendRecord
from swift_lb.model import Backend


def make():
    """Return the BackendRecord of a peer."""
    return BackendRecord(Backend('10.0.0.2', 8080, 'p2'))


def ejections(*instants):
    """Return for how long a peer is left alone after a failure at each of these instants."""
    record, found = make(), []
    for now in instants:
        record.failed(now)
        found.append(record.ejected_until - now)
    return found


def test_longer_each_time_up_to_half_a_minute():
    assert [1, 2, 4, 8, 16, 30, 30] == ejections(0.0, 10.0, 20.0, 30.0, 40.0, 60.0, 100.0)


def test_requests_that_fail_together_are_one_failure():
    assert [1.0, 0.9, 0.5, 2.0] == [round(each, 3) for each in ejections(0.0, 0.1, 0.5, 1.0)]


def test_an_answer_ends_it():
    record = make()
    record.failed(0.0)
    record.answered()
    record.failed(5.0)
    assert record.ejected_until == 6.0
