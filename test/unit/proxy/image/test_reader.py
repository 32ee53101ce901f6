"""Objects that are read by ranges, from a WSGI app that answers as Swift does."""
import pytest
from swift.common.swob import Request, Response

from swift_lb.errors import ChainError
from swift_lb.proxy.image import reader as image_reader
from swift_lb.proxy.image.reader import MULTIPART, ObjectReader, UnreadError, piece
from swift_lb.proxy.image.times import ReadTimes

BODY = bytes(range(256)) * 400
PATH = '/v1/a/c/o'


class StoredObject:
    """A WSGI app with one object; `status` replaces the status of its GETs."""

    def __init__(self, etag='e', status=None):
        self.etag, self.status, self.asked = etag, status, []

    def __call__(self, env, start_response):
        """Answer a request for the object."""
        request = Request(env)
        self.asked.append((request.method, request.path, request.headers.get('Range'),
                           request.headers.get('If-Match'), request.query_string))
        self.headers = dict(request.headers)
        answer = Response(request=request, body=BODY, conditional_response=True, headers={
            'ETag': self.etag, 'X-Timestamp': '1.0', 'Content-Type': 'image/j2c'})
        if self.status and request.method == 'GET':
            answer = Response(request=request, status=self.status, body=b'no')
        return answer(env, start_response)


def reader_of(app, rest='', **headers):
    """Return an ObjectReader of the app's object, of which the head is known."""
    env = Request.blank(f'{PATH}?lb_reduce=1&{rest}', headers=headers).environ
    reader = ObjectReader(app, env, rest, ReadTimes(lambda: 0.0))
    reader.head()
    return reader


def step(*ranges):
    """Yield each list of ranges, and return what was sent."""
    found = []
    for wanted in ranges:
        found.append((yield wanted))
    return found


def test_a_step_that_reads_nothing_lets_others_go_on(monkeypatch):
    app, slept = StoredObject(), []
    monkeypatch.setattr(image_reader, 'sleep', slept.append)
    assert reader_of(app).run(step([], [(0, 1)], [])) == [[], [BODY[:2]], []]
    assert (slept, len(app.asked)) == ([0, 0], 2)


def test_ranges_of_one_list_are_one_request_that_names_the_version():
    app = StoredObject()
    found = reader_of(app).run(step([(0, 9)], [(5, 8), (100, 70_099), (90_000, 90_000)]))
    assert found == [[BODY[:10]], [BODY[5:9], BODY[100:70_100], BODY[90_000:90_001]]]
    assert app.asked == [
        ('HEAD', PATH, None, None, ''), ('GET', PATH, 'bytes=0-9', 'e', ''),
        ('GET', PATH, 'bytes=5-8,100-70099,90000-90000', 'e', '')]


def test_the_version_that_the_query_or_a_header_asks_for_is_read():
    app = StoredObject()
    reader = reader_of(app, 'version-id=1.0', **{'X-Newest': 'true'})
    assert app.headers['X-Newest'] == 'true'
    reader.run(step([(0, 9)]))
    assert [query for *_others, query in app.asked] == ['version-id=1.0'] * 2


@pytest.mark.parametrize(('status', 'error'), [
    (412, UnreadError), (404, UnreadError), (503, UnreadError), (200, UnreadError),
    (416, ChainError)])
def test_other_answers_are_errors_with_a_sentence(status, error):
    with pytest.raises(error):
        reader_of(StoredObject(status=status)).run(step([(0, 9)]))


def test_an_object_that_is_absent_has_no_head():
    def absent(env, start_response):
        return Response(status=404, request=Request(env))(env, start_response)
    reader = ObjectReader(absent, Request.blank(PATH).environ, '', ReadTimes(lambda: 0.0))
    assert reader.head() is None


def test_ranges_may_have_been_joined_but_not_left_out():
    assert piece([(10, b'abcdef')], 12, 13) == b'cd'
    with pytest.raises(UnreadError, match='bytes 15 to 16'):
        piece([(10, b'abcdef')], 15, 16)


def test_far_more_than_was_asked_for_is_not_read():
    def endless(env, start_response):
        request = Request(env)
        if request.method == 'HEAD':
            return StoredObject()(env, start_response)
        start_response('206 Partial Content', [
            ('Content-Type', f'{MULTIPART};boundary=x'), ('Content-Length', str(1 << 40))])
        return iter(lambda: b'x' * 65536, None)
    with pytest.raises(UnreadError, match='more was answered'):
        reader_of(endless).run(step([(0, 9), (20, 29)]))
