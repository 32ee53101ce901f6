"""Whose book it is, and what it says."""
import os
import pwd

import pytest

from swift_lb.book_path import path_of
from swift_lb.service import proxy_book
from swift_lb.service.proxy_book import ProxyBook, book_of


@pytest.mark.parametrize('user', [None, 'daemon'])
def test_it_is_that_of_the_user_as_whom_the_proxy_runs(monkeypatch, user):
    monkeypatch.setattr(proxy_book, 'USER', 'daemon')
    uid = pwd.getpwnam('daemon').pw_uid
    facts = {'user': user, 'book': None}
    assert book_of('/etc/swift/p.conf', facts) == path_of('host', '/etc/swift/p.conf', uid)


def test_without_such_a_user_it_is_ours():
    facts = {'user': 'no such user', 'book': None}
    assert book_of('/p.conf', facts) == path_of('host', '/p.conf', os.geteuid())


@pytest.mark.parametrize('path', [None, '/nowhere/at.all'])
def test_without_a_book_nothing_is_known_and_it_is_said_why(path):
    book = ProxyBook(path, lambda: 1.0)
    assert book() is None
    assert book.fault
