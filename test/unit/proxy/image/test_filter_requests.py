"""Requests for parts of an image through lb_image, with a daemon and without."""
import logging

import pytest
from support.jpeg2000 import encoded, noise
from swift.common.swob import Request, Response

from swift_lb.proxy.dispatch.incoming import LACKS
from swift_lb.proxy.image.decoder import Decoder
from swift_lb.proxy.image.filter import ImageFilter
from swift_lb.proxy.image.options import ImageFilterOptions

IMAGE = encoded(noise('RGBA', 300, 200))


@pytest.fixture
def ask(tmp_path):
    """Return a function that asks for a part of IMAGE, and returns the Response."""
    def swift(env, start_response):
        return Response(request=Request(env), body=IMAGE, conditional_response=True, headers={
            'Etag': 'e', 'Content-Type': 'image/j2c'})(env, start_response)

    def ask(query, client=None, **environ):
        app = ImageFilter(swift, ImageFilterOptions(str(tmp_path / 'none')), {},
                          logging.getLogger(__name__))     # factories set up that of lb_image
        return Request.blank(f'/v1/a/c/o?{query}', environ={'swift.infocache': {}, **environ},
                             headers={'X-Lb-Client': client} if client else {}).get_response(app)
    return ask


@pytest.mark.parametrize(('is_there', 'client', 'lacks'), [
    (True, 'points=D3', 0),     # a client without an overview has no use for what is decoded
    (False, 'points=D3', 1), (False, None, 1)])
def test_a_proxy_lacks_a_decoder_only_if_none_answers(
        ask, monkeypatch, is_there, client, lacks):
    if is_there:
        monkeypatch.setattr(Decoder, 'quote', lambda *_args: {'wait': 0.0})
    told = []
    answer = ask('lb_reduce=1', client, **{LACKS: lambda: told.append(1)})
    assert (answer.status_int, answer.headers['X-Lb-Point'], len(told)) == (200, 'D2', lacks)


def test_an_absent_daemon_is_logged_as_one_sentence(ask, caplog):
    ask('lb_reduce=1')
    assert ['swift-lb: swift-lb-image does not answer, so images are sent without being decoded: '
            ] == [line.getMessage().partition('/')[0] for line in caplog.records]
    assert caplog.records[0].exc_info is None


@pytest.mark.parametrize(('query', 'sentence'), [
    ('lb_region=300,0,1,1', 'the region begins at 300,0, outside of the image of 300 x 200 pixels'),
    ('lb_reduce=6', 'the image can be reduced 0 to 5 times'),
    ('lb_reduce=1&lb_format=raw', 'the pixels of this image can not be had as raw')])
def test_what_an_image_does_not_have_is_refused_with_a_sentence(ask, query, sentence):
    answer = ask(query)
    assert (answer.status_int, answer.body.decode()) == (400, f'{sentence}\n')
