"""What proxies tell of answered parts is checked, as all input is."""
import pytest

from swift_lb.errors import ChainError
from swift_lb.wire.image_counts import ImageCounts, of_status, parts_of_quote


@pytest.mark.parametrize('question', [
    {'parts': [['D1', 2]]}, {'parts': {'D5': 1}}, {'parts': {'D1': -1}},
    {'parts': {'D1': True}}, {'parts': {'D1': 1.5}}, {'parts': {'D1': 10 ** 9}}, {'saved': '1'},
    {'saved': -0.1}, {'saved': float('nan')}, {'saved': float('inf')}, {'saved': True}])
def test_a_quote_with_other_parts_is_refused(question):
    with pytest.raises(ChainError, match='must be') as error:
        parts_of_quote(question)
    assert error.value.status.startswith('400')


def test_a_quote_may_tell_of_parts_or_not():
    for question in ({'keys': []}, {'parts': None, 'saved': None}):
        assert parts_of_quote(question) == ({}, 0.0)
    assert parts_of_quote({'parts': {'D1': 2}, 'saved': 1.25}) == ({'D1': 2}, 1.25)


def test_a_daemon_without_a_store_or_of_an_older_version_has_counts_of_0():
    assert ImageCounts((0,) * 4, 0, 0, 0, 0) == of_status({'cache': None}) == of_status({})
