"""DnsTally: sums of the DNS processes' counts, which never fall; Recent: shares of 5 minutes."""
import pytest
from support.dns_reports import datagram

from swift_lb.service.dns.tally import (
    KEPT_PROCESSES,
    POINT_INTERVAL,
    SHARES_SECONDS,
    STALE,
    DnsTally,
    DnsTotals,
    Recent,
)


def tally_of(*datagrams):
    """Return a DnsTally that has received these reports of processes at 0 s."""
    tally = DnsTally()
    for one in datagrams:
        tally.receive(one, 0.0)
    return tally


def test_the_query_counts_of_all_processes_are_summed():
    totals = tally_of(datagram('udp0', 1), datagram('udp1', 2), datagram(
        'tcp', 3, queries=[['A', 'answer', 1], ['AAAA', 'nodata', 5]], given=[], faults=2)).totals()
    assert {('A', 'answer'): 21, ('AAAA', 'nodata'): 5} == totals.queries
    assert {('A', 'n1'): 20, ('A', 'n2'): 20} == totals.given
    assert {('A', 'n1'): 20.0, ('A', 'n2'): 20.0} == totals.expected
    assert {'udp0': 0, 'udp1': 0, 'tcp': 2} == totals.faults


def test_sent_dns_update_messages_are_counted():
    one = datagram('update', 1, queries=[], given=[], updates=3, serial=None)
    assert {'update': 3} == tally_of(one).totals().updates


def test_the_newest_report_of_a_process_replaces_earlier_ones():
    tally = tally_of(datagram(), datagram(queries=[['A', 'answer', 25]]))
    assert {('A', 'answer'): 25} == tally.totals().queries
    assert {'udp0': 1} == tally.starts


def test_a_restarted_process_does_not_reset_the_sum_of_counts():
    tally, before = DnsTally(), 0
    for pid in range(1, 20):
        for count in (0, 3, 10):
            tally.receive(datagram(pid=pid, queries=[['A', 'answer', count]]), 0.0)
            assert tally.totals().queries['A', 'answer'] >= before
            before = tally.totals().queries['A', 'answer']
    assert (190, 19) == (before, tally.starts['udp0'])


def test_a_late_report_of_an_ended_process_still_counts():
    tally = tally_of(datagram(pid=1), datagram(pid=2, serial=78), datagram(
        pid=1, queries=[['A', 'answer', 12]]))
    assert {('A', 'answer'): 22} == tally.totals().queries
    assert 78 == tally.present(0.0)['udp0']['serial']


def test_few_reports_are_kept_of_a_process_that_restarts_often():
    tally = tally_of(*(datagram(pid=pid) for pid in range(1000)))
    assert [KEPT_PROCESSES] == [len(reports) for reports in tally._reports.values()]
    assert {('A', 'answer'): 10_000} == tally.totals().queries


def test_a_silent_process_is_not_listed_but_its_counts_remain():
    tally = tally_of(datagram('udp0', 1))
    tally.receive(datagram('udp1', 2), STALE)
    assert ['udp0', 'udp1'] == list(tally.present(STALE))
    assert ['udp1'] == list(tally.present(STALE + 0.1))
    assert {('A', 'answer'): 20} == tally.totals().queries


# -- shares of the last minutes


def totals(n1, n2, six=0):
    """Return DnsTotals: `n1` and `n2` A answers with these nodes, `six` AAAA answers with n1."""
    dns_totals = DnsTotals()
    dns_totals.given.update({('A', 'n1'): n1, ('A', 'n2'): n2, ('AAAA', 'n1'): six})
    dns_totals.expected.update({('A', 'n1'): n1 + 1.0, ('A', 'n2'): n2 - 1.0, ('AAAA', 'n1'): six})
    return dns_totals


def test_given_and_expected_shares_sum_to_1_in_each_family():
    given, expected = Recent().shares(totals(30, 10, 7))
    assert {('A', 'n1'): 0.75, ('A', 'n2'): 0.25, ('AAAA', 'n1'): 1.0} == given
    assert pytest.approx({('A', 'n1'): 0.775, ('A', 'n2'): 0.225, ('AAAA', 'n1'): 1.0}) == expected


def test_an_address_family_without_answers_has_no_shares():
    given, _expected = Recent().shares(totals(3, 1))
    assert {('A', 'n1'): 0.75, ('A', 'n2'): 0.25} == given


def test_answers_more_than_5_minutes_old_do_not_count_in_shares():
    recent, now, count = Recent(), 0.0, 0
    while now <= 2 * SHARES_SECONDS:
        count += 1 if now < SHARES_SECONDS else 0       # n1 alone, then n2 alone
        recent.note(totals(count, int(max(0, now - SHARES_SECONDS))), now)
        now += 1.0
    given, _expected = recent.shares(totals(count, int(SHARES_SECONDS)))
    assert {('A', 'n1'): 0.0, ('A', 'n2'): 1.0} == given


def test_recent_shares_keep_at_most_one_point_for_each_interval():
    recent = Recent()
    for second in range(5 * int(SHARES_SECONDS)):
        recent.note(totals(second, second), float(second))
    assert len(recent._points) <= SHARES_SECONDS / POINT_INTERVAL + 1
