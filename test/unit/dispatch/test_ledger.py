"""For how long a peer that has failed is not asked."""
from swift_lb.dispatch.ledger import BackendRecord
from swift_lb.model import Backend


def record():
    """Return the BackendRecord of a peer."""
    return BackendRecord(Backend('10.0.0.2', 8080, 'p2'))


def ejections(*instants):
    """Return the seconds that a peer is ejected for after a failure at each of these instants."""
    peer, seconds = record(), []
    for now in instants:
        peer.failed(now)
        seconds.append(peer.ejected_until - now)
    return seconds


def test_each_ejection_is_longer_up_to_half_a_minute():
    assert [1, 2, 4, 8, 16, 30, 30] == ejections(0.0, 10.0, 20.0, 30.0, 40.0, 60.0, 100.0)


def test_requests_that_fail_together_are_one_failure():
    assert [1.0, 0.9, 0.5, 2.0] == [round(each, 3) for each in ejections(0.0, 0.1, 0.5, 1.0)]


def test_an_answer_resets_the_ejections():
    peer = record()
    peer.failed(0.0)
    peer.answered()
    peer.failed(5.0)
    assert peer.ejected_until == 6.0
