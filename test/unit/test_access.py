"""Who may see status pages: loopback clients that no server forwarded, and those with the key."""
import pytest

from swift_lb.access import FORWARDED, allowed, loopback

HEADER, KEY = 'HTTP_X_LB_KEY', 'the key of a client: ü'.encode()
GIVEN = KEY.decode('latin-1')       # as WSGI has it
LOCAL, REMOTE = {'REMOTE_ADDR': '127.0.0.1'}, {'REMOTE_ADDR': '10.0.0.7'}


@pytest.mark.parametrize('address', ['127.0.0.1', '127.3.2.1', '::1', '::ffff:127.0.0.1'])
def test_loopback_addresses_are_recognised(address):
    assert loopback(address)


@pytest.mark.parametrize('address', [
    None, '', '10.0.0.1', '0.0.0.0', '::', '::ffff:10.0.0.1', '128.0.0.1', 'localhost',
    '127.0.0.1:80', '127.1', '2130706433', '0x7f000001', '127.0.0.01', '127.0.0.1, 10.0.0.1',
    ' 127.0.0.1', '::1\n'])
def test_other_addresses_and_text_are_not_loopback(address):
    assert not loopback(address)


@pytest.mark.parametrize(('env', 'key', 'may'), [
    (LOCAL, b'', True), (LOCAL, KEY, True), (REMOTE, b'', False), (REMOTE, KEY, False), ({}, KEY,
                                                                                       False)])
def test_a_request_without_a_key_is_allowed_only_from_loopback(env, key, may):
    assert allowed(env, HEADER, key) is may


@pytest.mark.parametrize('env', [REMOTE, LOCAL, {}, {**LOCAL, 'HTTP_VIA': '1.1 proxy'}])
def test_a_request_with_the_right_key_is_allowed_from_anywhere(env):
    assert allowed({**env, HEADER: GIVEN}, HEADER, KEY)


@pytest.mark.parametrize('given', ['', 'x', GIVEN[:-1], GIVEN + 'x', GIVEN.upper()])
def test_a_wrong_key_in_a_request_is_allowed_only_from_loopback(given):
    assert not allowed({**REMOTE, HEADER: given}, HEADER, KEY)
    assert allowed({**LOCAL, HEADER: given}, HEADER, KEY)


def test_an_empty_configured_key_allows_no_remote_client():
    assert not allowed({**REMOTE, HEADER: ''}, HEADER, b'')


@pytest.mark.parametrize('name', FORWARDED)
def test_a_forwarded_request_needs_the_key(name):
    """Any forwarding header, even an empty one, makes a request from loopback need the key."""
    for text in ('', '127.0.0.1'):
        assert not allowed({**LOCAL, name: text}, HEADER, KEY)
        assert not allowed({**LOCAL, name: text}, HEADER, b'')
