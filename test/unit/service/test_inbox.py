"""Received datagrams: kept if signed, new and of another node, else counted by reason."""
import pytest

from swift_lb.model import Report
from swift_lb.service.inbox import Inbox
from swift_lb.service.neighbours import Neighbours
from swift_lb.service.refusals import MANY
from swift_lb.wire import node_report, signature

KEY, OTHER = b'a key that all nodes have', b'a key of no node'
WALL, ADDRESS = 1_700_000_000.0, ('10.0.0.2', 6208, 0, 0)


def datagram(node='node-2', epoch=5, sequence=1, sent_at=WALL, key=KEY, neighbours=()):
    """Return a Report in a datagram signed with `key`; `sent_at` is in seconds since 1970."""
    return signature.sign(key, node_report.encode(
        Report(node, epoch, sequence, sent_at, 1.0, {'cpu': 0.5}), neighbours))


@pytest.fixture
def inbox():
    """Return the Inbox of the node node-1, whose own epoch is 7."""
    inbox = Inbox('node-1', (KEY,), Neighbours('node-1'))
    inbox.epoch = 7
    return inbox


def test_a_report_is_kept_and_the_nodes_it_names_are_learned(inbox):
    other = node_report.Neighbour('node-3', '10.0.0.3', 6208)
    assert inbox.receive(datagram(sent_at=WALL + 2.5, neighbours=[other]), ADDRESS, 50.0, WALL)
    report, at = inbox.reports['node-2']
    assert (report.metrics, at) == ({'cpu': 0.5}, 50.0)
    assert inbox.skews == {'node-2': 2.5}
    assert list(inbox._neighbours.targets()) == [('10.0.0.2', 6208), ('10.0.0.3', 6208)]
    assert (inbox.accepted, inbox.refused) == (1, {})


@pytest.mark.parametrize(('data', 'why'), [
    (b'', 'forged'), (signature.sign(KEY, node_report.encode(
        Report('node-2', 5, 1, WALL, 1.0, {})).ljust(node_report.MAX_PAYLOAD + 1)), 'forged'),
    (datagram(key=OTHER), 'forged'),
    (datagram()[:-1], 'forged'), (datagram() + b' ', 'forged'),
    (signature.sign(KEY, b''), 'garbled'), (signature.sign(KEY, b'[2]'), 'garbled'),
    (signature.sign(KEY, b'[' * 1000), 'garbled'), (datagram('node-1', 7), 'own'),
    (datagram('node-1', 8), 'namesake'), (datagram(sent_at=WALL - 61), 'skewed'),
    (datagram(sent_at=WALL + 61), 'skewed')], ids=lambda value: value if isinstance(
        value, str) else repr(value[:8]))
def test_a_refused_datagram_changes_only_the_count_of_refusals(inbox, data, why):
    assert not inbox.receive(data, ADDRESS, 50.0, WALL)
    assert (inbox.refused, inbox.accepted, inbox.reports) == ({why: 1}, 0, {})
    assert not inbox._neighbours.targets()


@pytest.mark.parametrize(('data', 'what'), [
    (datagram(key=OTHER), 'it signs with another key'),
    (signature.sign(KEY, b'[2]'), 'its version is another one'),
    (datagram('node-1', 8), 'it has the name of this node'),
    (datagram(sent_at=WALL + 61), 'its clock, or ours, is wrong by more than a minute')])
def test_why_a_peer_is_refused_is_told_until_it_is_heard_or_silent(inbox, data, what):
    def fault(now, *peers):
        return inbox.refusals.fault(peers, now, 3.0)
    inbox.receive(data, ADDRESS, 50.0, WALL)
    assert fault(53.0, ADDRESS[:2]) == f'reports of 10.0.0.2:6208 are refused: {what}'
    assert fault(53.0, ('10.0.0.2', 1)) is None     # a stranger's
    assert fault(53.1, ADDRESS[:2]) is None
    inbox.receive(data, ADDRESS, 54.0, WALL)
    inbox.receive(datagram(), ADDRESS, 54.0, WALL)
    assert fault(54.0, ADDRESS[:2]) is None
    inbox.receive(data, ADDRESS, 55.0, WALL)        # perhaps another sender's, from its address
    assert fault(55.0, ADDRESS[:2]) is None
    inbox.receive(data, ADDRESS, 57.1, WALL)
    assert fault(57.1, ADDRESS[:2])


def test_a_flood_from_many_addresses_is_not_remembered(inbox):
    for number in range(2 * MANY):
        inbox.receive(b'', ('10.0.0.3', number), 50.0, WALL)
    assert MANY == inbox.refusals.fault([('10.0.0.3', number) for number in range(2 * MANY)],
                                        50.0, 3.0).count('another key')


def test_a_report_replayed_from_another_address_is_refused(inbox):
    assert inbox.receive(datagram(), ADDRESS, 50.0, WALL)
    assert not inbox.receive(datagram(), ('10.0.0.66', 6208), 51.0, WALL)
    assert inbox.refused == {'replayed': 1}
    assert list(inbox._neighbours.targets()) == [('10.0.0.2', 6208)]
    assert inbox.reports['node-2'].at == 50.0


def test_a_forgotten_node_may_report_with_a_smaller_epoch(inbox):
    inbox.receive(datagram(epoch=9), ADDRESS, 0.0, WALL)
    inbox.forget(['node-2', 'node-9'])
    assert (inbox.reports, inbox.skews) == ({}, {})
    assert inbox.receive(datagram(epoch=2), ADDRESS, 1.0, WALL)


def test_this_nodes_report_is_rounded_as_other_nodes_receive_it(inbox):
    report = Report('node-1', 7, 1, WALL + 0.00049, 1.0, {'cpu': 1 / 3})
    assert inbox.keep_own(node_report.encode(report), 5.0).metrics == {'cpu': 0.333333}
    assert inbox.reports['node-1'].report.sent_at == WALL
