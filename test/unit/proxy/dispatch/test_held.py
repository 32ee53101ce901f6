"""An answer that is held back comes whole, however Swift's filters iterate over it."""
import itertools

import pytest

from swift_lb.proxy.dispatch.held import HeldAnswer
from swift_lb.proxy.requests import CountedBody


@pytest.mark.parametrize('starts_with_first_piece', [False, True])
def test_an_answer_comes_whole_to_a_filter_that_asks_for_its_iterator_again(
        starts_with_first_piece):
    ended = []

    def pieces(start_response):
        if starts_with_first_piece:
            start_response('200 OK', [])
        yield b'first '
        yield b'second'

    def serve(start_response):
        if not starts_with_first_piece:
            start_response('200 OK', [])
        return pieces(start_response)
    held = HeldAnswer(serve)
    held.on_complete = lambda: ended.append('complete')
    body = CountedBody(held.send(lambda *_started: None), lambda: ended.append('end'))
    iterator = iter(body)
    assert b'first second' == b''.join(itertools.chain([next(iterator)], body))
    assert ['complete', 'end'] == ended
