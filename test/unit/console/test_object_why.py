"""Paths of objects as people type them, and the sentence on which replica is read first."""
import json

import pytest
from unit.console.status_pages import order, page

from swift_lb.console.object_why import object_path, sentence
from swift_lb.console.page import Policy, parse
from swift_lb.errors import StatusError


@pytest.mark.parametrize(('text', 'path'), [
    ('AUTH_test/photos/cat', '/AUTH_test/photos/cat'),
    ('/AUTH_test/photos/cat', '/AUTH_test/photos/cat'),
    ('v1/AUTH_test/photos/cat', '/AUTH_test/photos/cat'),
    ('/v1/AUTH_test/photos/a/b//c/', '/AUTH_test/photos/a/b//c/'),
    ('v1/photos/cat', '/v1/photos/cat'),                    # an account called v1
    ('AUTH_test/photos//cat', '/AUTH_test/photos//cat'),    # an object called /cat
    ('AUTH_test/a b/50%?#+ünï', '/AUTH_test/a b/50%?#+ünï'),
    ('AUTH_test/photos/%41', '/AUTH_test/photos/%41'),
])
def test_an_object_path_may_begin_with_a_slash_or_v1(text, path):
    assert path == object_path(text)


@pytest.mark.parametrize('text', ['', 'cat', 'AUTH_test/photos', 'AUTH_test/photos/',
                                  'AUTH_test//cat', '//photos/cat', '/v1/AUTH_test/photos/'])
def test_a_path_without_account_container_object_is_refused(text):
    with pytest.raises(StatusError) as refused:
        object_path(text)
    assert f'{text!r} must be ACCOUNT/CONTAINER/OBJECT, e.g. AUTH_test/photos/cat' == str(
        refused.value)


def test_an_object_name_that_is_not_utf_8_is_refused():
    with pytest.raises(StatusError, match='is not UTF-8'):
        object_path('AUTH_test/photos/\udcff')


BEST, SECOND, LIMITED = (1, 'score 7', False, {}), (2, 'score 2', False, {}), (3, 'x', True, {})
FIRST = '10.0.0.1:6200/sda'


@pytest.mark.parametrize(('places', 'policy', 'words'), [
    ((BEST, SECOND), 'lb_rlt', f'{FIRST} because score 7'),
    ((BEST, LIMITED), 'lb_rlt', f'{FIRST} because score 7'),
    ((LIMITED, BEST, SECOND), 'lb_rlt',
     f'{FIRST} because score 7; 1 node before it is skipped as error-limited'),
    ((LIMITED, LIMITED, BEST), 'lb_rlt',
     f'{FIRST} because score 7; 2 nodes before it are skipped as error-limited'),
    ((LIMITED, LIMITED), 'lb_rlt',
     'no replica, because all of them are error-limited; Swift goes on to handoffs'),
    ((BEST, SECOND), None,
     'whichever Swift itself takes, because lb_enabled is false for storage policy 0'),
    ((BEST,), 'shuffle', f'{FIRST}, this time (score 7): each read draws anew')])
def test_a_sentence_says_which_node_is_read_first_and_why(places, policy, words):
    result = parse(json.dumps(page(object=order(*places))).encode(), 'http://proxy')
    assert f'first: {words}' == sentence(result.order, Policy(policy, policy is not None))
