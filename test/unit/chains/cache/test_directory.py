"""Swala's directory: what hosts have told, and what is forgotten."""
from swift_lb.chains.cache import directory
from swift_lb.chains.cache.directory import Directory


def test_a_directory_knows_what_hosts_have_told():
    known = Directory()
    known.told('a', ['x', 'y'])
    known.told('b', ['y'], gone=['z'])
    known.told('a', ['x'], gone=['y'])
    assert [('a',), ('b',), ()] == [known.where(key) for key in 'xyz']
    known.told('a', ['y'])
    assert known.where('y') == ('b', 'a')
    assert {'a': 2, 'b': 1} == known.counts()


def test_a_host_that_is_forgotten_keeps_nothing():
    known = Directory()
    known.told('a', ['x', 'y'])
    known.told('b', ['y'])
    known.forget('a')
    known.forget('c')
    assert [(), ('b',)] == [known.where(key) for key in 'xy']
    assert {'b': 1} == known.counts()


def test_a_host_that_tells_too_much_is_remembered_in_part(monkeypatch):
    monkeypatch.setattr(directory, 'MOST', 3)
    known = Directory()
    known.told('a', 'vwxyz')
    assert [(), (), ('a',), ('a',), ('a',)] == [known.where(key) for key in 'vwxyz']
    assert {'a': 3} == known.counts()
