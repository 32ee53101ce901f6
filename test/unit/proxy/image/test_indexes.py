"""What a worker remembers of the indexes of images."""
import pytest

from swift_lb.errors import ChainError
from swift_lb.proxy.image import indexes
from swift_lb.proxy.image.indexes import KnownIndexes


@pytest.mark.parametrize(('limit', 'value'), [('MOST', 2), ('MOST_BYTES', 14)])
def test_the_newest_indexes_are_remembered(monkeypatch, limit, value):
    monkeypatch.setattr(indexes, limit, value)
    known, read = KnownIndexes(lambda: 0.0), []
    for key in 'abcbca':
        read.append(known.find(key) is None)
        if read[-1]:
            known.remember(key, f'index of {key}', 5)
    assert read == [True, True, True, False, False, True]


def test_the_newest_refusals_are_remembered(monkeypatch):
    monkeypatch.setattr(indexes, 'MOST', 2)
    known = KnownIndexes(lambda: 0.0)
    for key in 'abac':
        known.refuse(key, ChainError(f'{key} is damaged'))
    assert known.find('b') is None
    for key in 'ac':
        with pytest.raises(ChainError, match=f'{key} is damaged'):
            known.find(key)
