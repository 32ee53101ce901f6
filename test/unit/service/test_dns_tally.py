"""Counts of the DNS processes never go back, whoever ends."""
from support.dns_told import datagram

from swift_lb.service.dns.tally import KEPT, STALE, DnsTally


def tally_of(*datagrams):
    """Return a DnsTally that has heard them at the instant 0."""
    tally = DnsTally()
    for one in datagrams:
        tally.hear(one, 0.0)
    return tally


def test_what_processes_count_is_summed():
    totals = tally_of(datagram('udp0', 1), datagram('udp1', 2), datagram(
        'tcp', 3, queries=[['A', 'answer', 1], ['AAAA', 'nodata', 5]], given=[], faults=2)).totals()
    assert {('A', 'answer'): 21, ('AAAA', 'nodata'): 5} == totals.queries
    assert {('A', 'n1'): 20, ('A', 'n2'): 20} == totals.given
    assert {('A', 'n1'): 20.0, ('A', 'n2'): 20.0} == totals.expected
    assert {'udp0': 0, 'udp1': 0, 'tcp': 2} == totals.faults


def test_who_updates_another_server_is_counted_too():
    one = datagram('update', 1, queries=[], given=[], updates=3, serial=None)
    assert {'update': 3} == tally_of(one).totals().updates


def test_of_one_process_the_newest_holds():
    tally = tally_of(datagram(), datagram(queries=[['A', 'answer', 25]]))
    assert {('A', 'answer'): 25} == tally.totals().queries
    assert {'udp0': 1} == tally.starts


def test_who_takes_the_place_of_another_begins_at_nothing_and_the_sum_does_not():
    tally, before = DnsTally(), 0
    for pid in range(1, 20):
        for count in (0, 3, 10):
            tally.hear(datagram(pid=pid, queries=[['A', 'answer', count]]), 0.0)
            assert tally.totals().queries['A', 'answer'] >= before
            before = tally.totals().queries['A', 'answer']
    assert (190, 19) == (before, tally.starts['udp0'])


def test_who_ends_may_have_the_last_word():
    tally = tally_of(datagram(pid=1), datagram(pid=2, serial=78), datagram(
        pid=1, queries=[['A', 'answer', 12]]))
    assert {('A', 'answer'): 22} == tally.totals().queries
    assert 78 == tally.present(0.0)['udp0']['serial']


def test_what_is_kept_does_not_grow():
    tally = tally_of(*(datagram(pid=pid) for pid in range(1000)))
    assert [KEPT] == [len(told) for told in tally._told.values()]
    assert {('A', 'answer'): 10_000} == tally.totals().queries


def test_who_tells_nothing_is_not_present_but_stays_counted():
    tally = tally_of(datagram('udp0', 1))
    tally.hear(datagram('udp1', 2), STALE)
    assert ['udp0', 'udp1'] == list(tally.present(STALE))
    assert ['udp1'] == list(tally.present(STALE + 0.1))
    assert {('A', 'answer'): 20} == tally.totals().queries


def test_to_ask_changes_nothing():
    tally = tally_of(*(datagram(pid=pid) for pid in range(10)))
    assert tally.totals().queries == tally.totals().queries
