"""Counts of the DNS processes never decrease, even if a process ends."""
from support.dns_reports import datagram

from swift_lb.service.dns.tally import KEPT_PROCESSES, STALE, DnsTally


def tally_of(*datagrams):
    """Return a DnsTally that has heard them at the instant 0."""
    tally = DnsTally()
    for one in datagrams:
        tally.receive(one, 0.0)
    return tally


def test_counts_of_processes_are_summed():
    totals = tally_of(datagram('udp0', 1), datagram('udp1', 2), datagram(
        'tcp', 3, queries=[['A', 'answer', 1], ['AAAA', 'nodata', 5]], given=[], faults=2)).totals()
    assert {('A', 'answer'): 21, ('AAAA', 'nodata'): 5} == totals.queries
    assert {('A', 'n1'): 20, ('A', 'n2'): 20} == totals.given
    assert {('A', 'n1'): 20.0, ('A', 'n2'): 20.0} == totals.expected
    assert {'udp0': 0, 'udp1': 0, 'tcp': 2} == totals.faults


def test_updates_are_counted():
    one = datagram('update', 1, queries=[], given=[], updates=3, serial=None)
    assert {'update': 3} == tally_of(one).totals().updates


def test_newest_report_of_a_process_counts():
    tally = tally_of(datagram(), datagram(queries=[['A', 'answer', 25]]))
    assert {('A', 'answer'): 25} == tally.totals().queries
    assert {'udp0': 1} == tally.starts


def test_restarted_process_does_not_reset_the_sum():
    tally, before = DnsTally(), 0
    for pid in range(1, 20):
        for count in (0, 3, 10):
            tally.receive(datagram(pid=pid, queries=[['A', 'answer', count]]), 0.0)
            assert tally.totals().queries['A', 'answer'] >= before
            before = tally.totals().queries['A', 'answer']
    assert (190, 19) == (before, tally.starts['udp0'])


def test_last_report_of_an_ended_process_counts():
    tally = tally_of(datagram(pid=1), datagram(pid=2, serial=78), datagram(
        pid=1, queries=[['A', 'answer', 12]]))
    assert {('A', 'answer'): 22} == tally.totals().queries
    assert 78 == tally.present(0.0)['udp0']['serial']


def test_memory_is_bounded():
    tally = tally_of(*(datagram(pid=pid) for pid in range(1000)))
    assert [KEPT_PROCESSES] == [len(reports) for reports in tally._reports.values()]
    assert {('A', 'answer'): 10_000} == tally.totals().queries


def test_silent_process_is_absent_but_counted():
    tally = tally_of(datagram('udp0', 1))
    tally.receive(datagram('udp1', 2), STALE)
    assert ['udp0', 'udp1'] == list(tally.present(STALE))
    assert ['udp1'] == list(tally.present(STALE + 0.1))
    assert {('A', 'answer'): 20} == tally.totals().queries


def test_reading_totals_changes_nothing():
    tally = tally_of(*(datagram(pid=pid) for pid in range(10)))
    assert tally.totals().queries == tally.totals().queries
