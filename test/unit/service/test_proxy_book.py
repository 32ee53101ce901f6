"""Whose book it is, and what it says."""
import os
import pwd

import pytest

from swift_lb.book_path import path_of
from swift_lb.proxy.dispatcher import filter_factory
from swift_lb.service import proxy_book
from swift_lb.service.options import proxy_facts
from swift_lb.service.proxy_book import ProxyBook, book_of, dispatch_book_of


@pytest.mark.parametrize('user', [None, 'daemon'])
def test_it_is_that_of_the_user_as_whom_the_proxy_runs(monkeypatch, user):
    monkeypatch.setattr(proxy_book, 'USER', 'daemon')
    uid = pwd.getpwnam('daemon').pw_uid
    facts = {'user': user, 'book': None}
    assert book_of('/etc/swift/p.conf', facts) == path_of('host', '/etc/swift/p.conf', uid)


def test_without_such_a_user_it_is_ours():
    facts = {'user': 'no such user', 'book': None}
    assert book_of('/p.conf', facts) == path_of('host', '/p.conf', os.geteuid())


@pytest.mark.parametrize('section', ['', 'book = host', 'book = worker', 'book = {0}/a.book',
                                     'book = {0}/all'])
def test_that_of_the_dispatchers_is_where_they_put_it(tmp_path, section):
    conf = tmp_path / 'proxy-server.conf'
    conf.write_text(f'[DEFAULT]\nuser = {pwd.getpwuid(os.geteuid()).pw_name}\n'
                    f'[filter:lb_dispatcher]\n{section.format(tmp_path)}\n')
    made = filter_factory({'__file__': str(conf)}, **dict(
        [section.format(tmp_path).split(' = ')] if section else []))(lambda *_args: [])
    assert dispatch_book_of(str(conf), proxy_facts(str(conf))) == made._book_path()


@pytest.mark.parametrize('path', [None, '/nowhere/at.all'])
def test_without_a_book_nothing_is_known_and_it_is_said_why(path):
    book = ProxyBook(path, lambda: 1.0)
    assert book() is None
    assert book.fault
