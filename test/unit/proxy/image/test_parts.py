"""Which point is made when something fails, and what is kept and told."""
from types import SimpleNamespace

import pytest

from swift_lb.chains.chain import D1, D2, D3, D4, PNG, RAW, Chain, Region, Task, Work
from swift_lb.chains.query import AskedPart
from swift_lb.dispatch.cost import Way
from swift_lb.dispatch.points import ClientSide
from swift_lb.errors import ChainError
from swift_lb.proxy.image import parts as image_parts
from swift_lb.proxy.image import room
from swift_lb.proxy.image.decoder import DecoderError
from swift_lb.proxy.image.parts import ImageParts
from swift_lb.proxy.image.room import SentBody
from swift_lb.proxy.image.times import ReadTimes

WORKS = [Work(D1, '', 900, 1, 900, 0, 9, 4), Work(D2, '', 90, 1, 90, 0, 9, 4),
         Work(D3, '', 90, 1, 50, 9, 0, 4), Work(D4, PNG, 90, 1, 40, 9, 0, 4),
         Work(D4, RAW, 90, 1, 400, 9, 0, 4)]
CLIENT = ClientSide((D1, D2, D3, D4), Way(0.01, 1e3), 1e6)
PART = AskedPart(Task(Region(0, 0, 2, 2), 0), '', '')


class Letters(Chain):
    """A chain of which all steps are letters."""

    name, version = 'letters', 1
    works_of = WORKS

    def index(self, size):
        """Read one byte."""
        yield [(0, 0)]
        return 'index'

    def dumps(self, index):
        """Return an index as bytes."""
        return index.encode()

    def loads(self, data):
        """Return the index of bytes."""
        if data != b'index':
            raise ValueError(data)
        return data.decode()

    def region(self, index, task):
        """Return the region of a Task."""
        return task.region

    def works(self, index, task, overview=None):
        """Return the Works."""
        return list(self.works_of), {}

    def cut(self, index, task, overview=None):
        """Read the cut."""
        yield [(1, 2)]
        return b'cut'


class Reader:
    """Reads nothing."""

    path, request, runs = ('a', 'c', 'o'), 'key of the request', 0
    object = SimpleNamespace(etag='e', timestamp='1', size=900)

    def run(self, step):
        """Return the result of a generator, to which it sends nothing of use."""
        self.runs += 1
        next(step)
        try:
            step.send([b''])
        except StopIteration as end:
            return end.value


class Daemon:
    """Stands for a Decoder: keeps in a dict, and answers jobs as `job` says."""

    def __init__(self, job=({'ok': True}, b'\x89PNG')):
        self.job, self.store, self.told, self.absent = job, {}, [], False

    def quote(self, keys, parts, saved):
        """Return what is kept; raises DecoderError if the daemon is absent."""
        if self.absent:
            raise DecoderError('absent')
        self.told.append((parts, saved))
        return {'have': {key: 1 for key in keys if key in self.store}, 'wait': 0.0}

    def kept(self, key):
        """Return what is kept under a key."""
        return self.store.get(key)

    def keep(self, key, seconds, data, request=None):
        """Keep it."""
        self.store[key] = data

    def ask(self, question, body=b''):
        """Answer a job."""
        if isinstance(self.job, Exception):
            raise self.job
        if self.job[0].get('ok'):
            self.store[question['key']] = self.job[1]
        return self.job


def made(daemon, client=CLIENT, chain=None, part=PART, overview=None):
    """Return (Part, ImageParts, failures) of one request."""
    failures = []
    parts = ImageParts(daemon, ReadTimes(lambda: 0.0), failures.append)
    reader = Reader()
    asked = parts.asked(chain or Letters(), reader, part, overview)
    costs = parts.costs(asked, client)
    return parts.part(asked, costs, reader) or parts.undecoded(asked, reader), parts, failures


def test_the_least_point_is_made():
    part, _parts, failures = made(Daemon())
    assert (part.point, part.body, part.content_type(Letters), failures) == (
        D4, b'\x89PNG', 'image/png', [])


BUSY = {'error': 'too many wait', 'status': '503 Service Unavailable'}, b''


FAILED = {'error': 'the daemon has failed', 'status': '500 Internal Server Error'}, b''


@pytest.mark.parametrize('job', [DecoderError('gone'), BUSY, FAILED])
def test_a_client_that_can_gets_another_point_if_the_decoder_fails(job):
    assert made(Daemon(job))[0].point == D2


def test_a_client_that_wants_pixels_gets_the_portions_if_the_daemon_fails():
    part, _parts, failures = made(Daemon(FAILED), CLIENT._replace(points=(D4,)))
    assert (part.point, failures) == (D2, ['decoder'])


def test_a_client_that_wants_pixels_gets_503_if_too_many_wait():
    with pytest.raises(ChainError, match='too many wait') as refused:
        made(Daemon(BUSY), CLIENT._replace(points=(D4,)))
    assert refused.value.status == '503 Service Unavailable'


def test_an_image_that_cannot_be_decoded_is_refused():
    with pytest.raises(ChainError, match='damaged'):
        made(Daemon(({'error': 'damaged', 'status': '422 Unprocessable Entity'}, b'')))


@pytest.mark.parametrize(('works', 'point'), [(WORKS, D2), (WORKS[:1] + WORKS[3:], D1)])
def test_without_a_daemon_a_client_of_pixels_gets_portions_or_the_object(works, point):
    daemon = Daemon(DecoderError('gone'))
    daemon.absent = True
    chain = Letters()
    chain.works_of = works
    part, _parts, failures = made(daemon, CLIENT._replace(points=(D4,)), chain)
    assert part.point == point
    assert 'decoder' in failures


def test_every_step_is_kept_and_used_again():
    daemon = Daemon()
    assert made(daemon)[0].kept is False
    assert b'index' in daemon.store.values()
    assert b'cut' in daemon.store.values()
    daemon.job = DecoderError('no second job')
    part = made(daemon)[0]
    assert (part.point, part.body, part.kept) == (D4, b'\x89PNG', True)


def test_a_kept_index_that_is_damaged_is_read_again():
    daemon = Daemon()
    made(daemon)
    for key, data in daemon.store.items():
        daemon.store[key] = b'damaged' if data == b'index' else data
    part, _parts, failures = made(daemon)
    assert (part.point, failures) == (D4, ['index'])


def test_an_image_that_has_no_index_is_not_read_again_for_some_seconds():
    now, reader = [0.0], Reader()
    parts = ImageParts(Daemon(), ReadTimes(lambda: now[0]), print)

    class Damaged(Letters):
        def index(self, size):
            yield [(0, 0)]
            raise ChainError('the image is truncated')
    for now[0], reads in ((0.0, 1), (9.9, 1), (10.0, 2)):
        with pytest.raises(ChainError, match='truncated') as refused:
            parts.asked(Damaged(), reader, PART, None)
        assert (reader.runs, refused.value.status[:3]) == (reads, '422')


def test_what_was_kept_meanwhile_gone_is_made():
    daemon = Daemon()
    made(daemon)
    daemon.kept = lambda key: None
    assert made(daemon)[0].kept is False


def test_a_form_that_is_asked_for_is_the_only_one():
    part, _parts, _failures = made(Daemon(({'ok': True}, b'P5 ')), part=PART._replace(form=RAW),
                                   client=CLIENT._replace(points=(D4,)))
    assert part.content_type(Letters) == 'image/x-portable-graymap'


@pytest.mark.parametrize(('name', 'limit'), [('MOST_READ', 89), ('MOST_RANGES', 0)])
def test_a_part_that_needs_too_much_of_the_object_is_left_out(monkeypatch, name, limit):
    monkeypatch.setattr(image_parts, name, limit)
    assert made(Daemon())[0].point == D1


def test_parts_that_would_need_too_much_memory_at_a_time_are_not_read(monkeypatch):
    monkeypatch.setattr(room, 'MOST', 179)

    class Busy(Reader):
        """While it reads for one part, another one is asked for."""

        meanwhile = None

        def run(self, step):
            """Ask for the other part."""
            if self.meanwhile:
                meanwhile, self.meanwhile = self.meanwhile, None
                self.found = meanwhile()
            return super().run(step)

    parts = ImageParts(Daemon(), ReadTimes(lambda: 0.0), print)
    asked = parts.asked(Letters(), Reader(), PART, None)
    reader, costs = Busy(), parts.costs(asked, CLIENT)
    reader.meanwhile = lambda: parts.part(asked, costs, Reader())
    assert parts.part(asked, costs, reader).point == D4
    assert reader.found.point == D1
    assert parts.part(asked, costs, Reader()).point == D4       # there is room again


def test_a_large_part_counts_until_it_is_sent(monkeypatch):
    monkeypatch.setattr(room, 'MOST', room.LARGE + 100)
    parts = ImageParts(Daemon(), ReadTimes(lambda: 0.0), print)
    asked = parts.asked(Letters(), Reader(), PART, None)
    costs = parts.costs(asked, CLIENT)
    small, large = (parts.room.sent(SentBody(bytes(size))) for size in (50, room.LARGE + 1))
    assert parts.part(asked, costs, Reader()).point == D1
    assert b''.join(large) == bytes(len(large))
    del large
    assert parts.part(asked, costs, Reader()).point == D4
    assert max(map(len, small)) == 50


def test_what_is_made_counts_as_well_as_what_is_read_for_it(monkeypatch):
    monkeypatch.setattr(room, 'MOST', 500)
    parts = ImageParts(Daemon(), ReadTimes(lambda: 0.0), print)
    raw = PART._replace(form=RAW)       # 90 bytes are read, and 400 are sent
    asked = parts.asked(Letters(), Reader(), raw, None)
    costs = parts.costs(asked, CLIENT._replace(points=(D4,)))
    with parts.room.making(11), pytest.raises(ChainError, match='too much of other images'):
        parts.part(asked, costs, Reader())
    with parts.room.making(10):
        assert parts.part(asked, costs, Reader()).point == D4


def test_a_kept_result_counts_while_it_is_received_and_is_not_made_without_room(monkeypatch):
    daemon = Daemon()
    made(daemon)
    parts, asked_meanwhile = ImageParts(daemon, ReadTimes(lambda: 0.0), print), []
    asked = parts.asked(Letters(), Reader(), PART, None)
    costs = parts.costs(asked, CLIENT)[:1]

    def kept(key):
        if not asked_meanwhile:
            asked_meanwhile.append(key)
            with pytest.raises(ChainError, match='too much of other images'):
                parts.part(asked, costs, Reader())
    monkeypatch.setattr(daemon, 'kept', kept)
    monkeypatch.setattr(room, 'MOST', 1)
    assert parts.part(asked, costs, Reader()).kept is False     # it was evicted meanwhile
    with parts.room.making(1), pytest.raises(ChainError, match='too much of other images'):
        parts.part(asked, costs, Reader())


def test_a_decoder_that_has_failed_is_not_asked_for_another_form():
    daemon, jobs = Daemon(BUSY), []
    daemon.ask = lambda question, body=b'': jobs.append(question['form']) or BUSY
    with pytest.raises(ChainError, match='too many wait'):
        made(daemon, CLIENT._replace(points=(D3, D4)))
    assert jobs == ['png']


def test_the_next_quote_tells_points_and_seconds_saved():
    daemon = Daemon()
    part, parts, _failures = made(daemon)
    asked = parts.asked(Letters(), Reader(), PART, None)
    costs = parts.costs(asked, CLIENT)
    parts.note(asked, part._replace(point=D2), costs, CLIENT)
    parts.asked(Letters(), Reader(), PART, None)
    parts.asked(Letters(), Reader(), PART, None)
    by_point = {cost.work.point: cost.seconds for cost in reversed(costs)}
    assert daemon.told[-2] == ({D2: 1}, pytest.approx(max(0, by_point[D4] - by_point[D2])))
    assert daemon.told[-1] == ({}, 0.0)


def test_the_seconds_that_a_kept_result_saves_are_those_of_making_it():
    daemon = Daemon()
    made(daemon)
    part, parts, _failures = made(daemon)
    asked = parts.asked(Letters(), Reader(), PART, None)
    costs = parts.costs(asked, CLIENT)
    assert (costs[0].work.point, costs[0].data, costs[0].server) == (D4, 0, 0)
    server = parts.server(asked)
    assert parts.note(asked, part, costs, CLIENT) == (0.0, pytest.approx(
        server.batch + 90 / server.rate + 9 * server.decode + 4 * server.png))


def test_a_client_that_can_gets_another_point_of_an_image_over_a_limit():
    job = {'error': 'over the limit', 'status': '413 Content Too Large'}, b''
    assert made(Daemon(job))[0].point == D2
    with pytest.raises(ChainError, match='over the limit') as refused:
        made(Daemon(job), CLIENT._replace(points=(D4,)))
    assert refused.value.status == '413 Content Too Large'


def test_a_form_that_the_pixels_can_not_have_is_refused():
    chain = Letters()
    chain.works_of = WORKS[:-1]
    with pytest.raises(ChainError, match='can not be had as raw') as refused:
        made(Daemon(), chain=chain, part=PART._replace(form=RAW))
    assert refused.value.status == '400 Bad Request'
    chain.works_of = WORKS[:2]      # of which there are none at all
    assert made(Daemon(), chain=chain, part=PART._replace(form=RAW))[0].point == D2
