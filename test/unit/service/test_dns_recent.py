"""Shares of the last minutes: of each family's own, and of no more than that."""
import pytest

from swift_lb.service.dns.tally import POINT_INTERVAL, SHARES_SECONDS, DnsTotals, Recent


def totals(n1, n2, six=0):
    """Return DnsTotals of so many answers with each node."""
    dns_totals = DnsTotals()
    dns_totals.given.update({('A', 'n1'): n1, ('A', 'n2'): n2, ('AAAA', 'n1'): six})
    dns_totals.expected.update({('A', 'n1'): n1 + 1.0, ('A', 'n2'): n2 - 1.0, ('AAAA', 'n1'): six})
    return dns_totals


def test_shares_are_computed_per_family():
    given, expected = Recent().shares(totals(30, 10, 7))
    assert {('A', 'n1'): 0.75, ('A', 'n2'): 0.25, ('AAAA', 'n1'): 1.0} == given
    assert pytest.approx({('A', 'n1'): 0.775, ('A', 'n2'): 0.225, ('AAAA', 'n1'): 1.0}) == expected


def test_no_share_without_answers():
    given, _expected = Recent().shares(totals(3, 1))
    assert {('A', 'n1'): 0.75, ('A', 'n2'): 0.25} == given


def test_old_answers_do_not_count():
    recent, now, count = Recent(), 0.0, 0
    while now <= 2 * SHARES_SECONDS:
        count += 1 if now < SHARES_SECONDS else 0       # n1 alone, then n2 alone
        recent.note(totals(count, int(max(0, now - SHARES_SECONDS))), now)
        now += 1.0
    given, _expected = recent.shares(totals(count, int(SHARES_SECONDS)))
    assert {('A', 'n1'): 0.0, ('A', 'n2'): 1.0} == given


def test_memory_is_bounded():
    recent = Recent()
    for second in range(5 * int(SHARES_SECONDS)):
        recent.note(totals(second, second), float(second))
    assert len(recent._points) <= SHARES_SECONDS / POINT_INTERVAL + 1
