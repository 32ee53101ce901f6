"""The parts of images that one worker makes: index, choice of a point, and the result of that.

Results are kept by the decoder's daemon, and found by keys that name the version of the object.
Whatever the decoder cannot do, the client gets the portions of the object (D2), or the object (D1).
"""
from collections import Counter
from typing import NamedTuple

from swift_lb.chains.cache.keys import COEFFICIENTS, CUT, INDEX, PIXELS, Source, step_key
from swift_lb.chains.chain import COEFFICIENTS_TYPE, D1, D2, D3, D4, Chain, Task
from swift_lb.dispatch.points import CUT_OF_D3, ServerSide, point_costs
from swift_lb.errors import BAD_REQUEST, TOO_LARGE, ChainError
from swift_lb.proxy.guard import fails_open
from swift_lb.proxy.image.decoder import DecoderError
from swift_lb.proxy.image.indexes import KnownIndexes
from swift_lb.proxy.image.room import PartRoom
from swift_lb.proxy.image.times import SizeFactors
from swift_lb.wire.image_job import UNAVAILABLE

PICTURES = {b'\x89PNG': 'image/png', b'P5': 'image/x-portable-graymap',
            b'P6': 'image/x-portable-pixmap', b'': 'application/octet-stream'}
MOST_READ = 1 << 27     # bytes that a worker reads for one part, which it has in memory
MOST_RANGES = 5000      # in which it reads them: 100 requests


class Part(NamedTuple):
    """A part of an image, as the client gets it."""

    point: str
    key: str = ''
    body: bytes | None = None       # None for D1: the object itself
    kept: bool = False              # whether it had been kept

    def content_type(self, chain):
        """Return the media type of the body; the Part is of an object of this Chain."""
        if self.point in (D2, D3):
            return chain.cut_type if self.point == D2 else COEFFICIENTS_TYPE
        return next(kind for magic, kind in PICTURES.items() if self.body.startswith(magic))


class AskedImage(NamedTuple):
    """A part of an image that is asked for, and what is known for the choice of a point."""

    chain: Chain
    source: Source
    task: Task
    region: tuple               # of the task, within the image
    rest: str                   # the request's query without the parameters of the part
    overview: int | None        # halvings of the client's overview, None without one
    index: object               # of the chain
    works: list                 # of the points at which it can be had
    without: dict               # point -> why it can not
    keys: dict                  # (point, form), and CUT_OF_D3 -> key of the result
    quote: dict                 # of the decoder, {} without one
    request: str                # key of the request, by which other proxies know what is kept

    @property
    def is_decodable(self):
        """Whether it is a part that a decoder could make."""
        return any(work.point in (D3, D4) for work in self.works)

    @property
    def kept(self):
        """The results that are kept: (point, form), and CUT_OF_D3 -> bytes."""
        have = self.quote.get('have', {})
        return {what: have[key] for what, key in self.keys.items() if key in have}


class ImageParts:
    """Makes parts of images for one worker."""

    def __init__(self, decoder, times, fall_back):
        """Take a Decoder and ReadTimes; `fall_back(component)` reports one that has failed."""
        self._decoder, self._times, self.fall_back = decoder, times, fall_back
        self._known, self._sizes = KnownIndexes(times.clock), SizeFactors()
        self._parts, self._saved = Counter(), 0.0       # not yet told to the daemon
        self.room = PartRoom()

    def asked(self, chain, reader, part, overview):
        """Return the AskedImage of an AskedPart of the object that an ObjectReader reads.

        `overview` is as in the result. Raises ChainError if the chain refuses it, UnreadError if
        the object cannot be read.
        """
        source = Source(*reader.path, reader.object.etag, reader.object.timestamp)
        index = self._index(chain, source, reader)
        region = chain.region(index, part.task)
        works, without = chain.works(index, part.task, overview)
        without |= {work.point: f'{work.read} bytes would be read in {work.ranges} ranges, and the '
                                f'limits are {MOST_READ} and {MOST_RANGES}' for work in works
                    if work.point != D1 and (work.read > MOST_READ or work.ranges > MOST_RANGES)}
        works = [self._sizes.of(work) for work in in_form(works, part.form)
                 if work.point not in without]
        keys = {what: step_key(source, chain, *step) for what, step in
                _steps(works, part.task, overview)}
        return AskedImage(chain, source, part.task, region, part.rest, overview, index, works,
                          without, keys, self._quote(keys.values()) or {}, reader.request)

    def server(self, asked):
        """Return the ServerSide of this cluster for an AskedImage."""
        quote, rates = asked.quote, ('decode', 'png', 'raw', 'coefficients')
        return ServerSide(quote.get('wait'), self._times.batch, self._times.rate,
                          **{name: quote[name] for name in rates if name in quote})

    def costs(self, asked, client):
        """Return the PointCosts of an AskedImage here, the least first, for a ClientSide."""
        return point_costs(asked.works, self.server(asked), client, asked.kept)

    def note(self, asked, part, costs, client):
        """Count a Part; return the seconds saved by its point, and by what had been kept.

        They are those of the costs, PointCosts for a ClientSide: of D4, less those of this point;
        and of the same result if it had to be made.
        """
        by_point = by_kept = 0.0
        cost = next((one for one in costs if one.work.point == part.point), None)
        pixels = next((one for one in costs if one.work.point == D4), None)
        if cost is not None and pixels is not None:
            by_point = max(0.0, pixels.seconds - cost.seconds)
        if cost is not None and part.kept:
            made = point_costs([cost.work], self.server(asked), client)
            by_kept = sum(one.data + one.server for one in made)
        self._parts[part.point] += 1
        self._saved += by_point
        return by_point, by_kept

    def part(self, asked, costs, reader):
        """Return the Part of an AskedImage at the first point of `costs`, PointCosts, that works.

        None if none does, since no decoder answers. Raises ChainError if the decoder refuses the
        image; over a limit, or with too much to do, it does so only if no other point works.
        """
        refused, has_failed = None, False
        for work in (cost.work for cost in costs):
            if has_failed and work.point in (D3, D4) and (work.point, work.form) not in asked.kept:
                continue        # the decoder would not make that either
            try:
                return self._part(asked, work, reader)
            except DecoderError:
                self.fall_back('decoder')
            except ChainError as err:
                if err.status not in (UNAVAILABLE, TOO_LARGE):
                    raise
                refused = refused or err
            has_failed = True
        if refused is not None:
            raise refused
        return None

    def undecoded(self, asked, reader):
        """Return the Part of an AskedImage that needs no decoder, whatever the client can use."""
        tiled = [work for work in asked.works if work.point == D2]
        return self._part(asked, tiled[0], reader) if tiled else Part(D1)

    def _part(self, asked, work, reader):
        if work.point == D1:
            return Part(D1)
        what = work.point, work.form
        key, size = asked.keys[what], asked.kept.get(what)
        if size is not None:
            with self.room.making(size):
                body = self._kept(key)
            if body is not None:
                return Part(work.point, key, body, True)
        with self.room.making(work.read + work.size):
            return self._made(asked, work, reader, key)

    def _made(self, asked, work, reader, key):
        since = self._times.clock()
        cut = self._cut(asked, work, reader)
        if work.point == D2:
            return Part(D2, key, cut)
        answer, body = self._decoder.ask(
            _job(asked, work, key) | {'spent': self._times.clock() - since}, cut)
        if not answer.get('ok'):
            sentence, status = answer.get('error', 'it cannot be decoded'), answer.get('status', '')
            if status != UNAVAILABLE and not status.startswith('4'):
                raise DecoderError(sentence)        # a fault of the daemon's own
            raise ChainError(sentence, status)
        self._sizes.add(work, len(body))
        return Part(work.point, key, body)

    def _cut(self, asked, work, reader):
        """Return the portions of the object that a Work needs."""
        is_d3 = work.point == D3
        what = CUT_OF_D3 if is_d3 else (D2, '')
        key = asked.keys.get(what)
        kept = self._kept(key) if what in asked.kept else None
        if kept is not None:
            return kept
        since = self._times.clock()
        cut = reader.run(asked.chain.cut(asked.index, asked.task,
                                         asked.overview if is_d3 else None))
        if asked.quote and key:
            self._keep(key, self._times.clock() - since, cut, asked.request)
        return cut

    def _index(self, chain, source, reader):
        key = step_key(source, chain, INDEX)
        index = self._known.find(key)
        if index is None:
            try:
                index, size = self._index_of(key, chain, reader)
            except ChainError as err:
                self._known.refuse(key, err)
                raise
            self._known.remember(key, index, size)
        return index

    def _index_of(self, key, chain, reader):
        """Return (index, its bytes where it is kept)."""
        kept = self._kept(key)
        if kept is not None:
            try:
                return chain.loads(kept), len(kept)
            except ValueError:
                self.fall_back('index')
        since = self._times.clock()
        index = reader.run(chain.index(reader.object.size))
        data = chain.dumps(index)
        self._keep(key, self._times.clock() - since, data)
        return index, len(data)

    # The daemon may be absent: then nothing is kept.

    @fails_open('decoder')
    def _quote(self, keys):
        parts, saved = dict(self._parts), self._saved
        self._parts.clear()
        self._saved = 0.0
        return self._decoder.quote(keys, parts, saved)

    @fails_open('decoder')
    def _kept(self, key):
        return self._decoder.kept(key)

    @fails_open('decoder')
    def _keep(self, key, seconds, data, request=None):
        self._decoder.keep(key, seconds, data, request)


def in_form(works, form):
    """Return Works without pixels of another form than `form`; '' is any.

    Raises ChainError if there are pixels, but not in this form.
    """
    found = [work for work in works if work.point != D4 or form in ('', work.form)]
    if len(found) < len(works) and all(work.point != D4 for work in found):
        raise ChainError(f'the pixels of this image can not be had as {form}', BAD_REQUEST)
    return found


def _steps(works, task, overview):
    """Yield (what is kept, the arguments of step_key) of each result that `works` need."""
    for work in works:
        if work.point == D2:
            yield (D2, ''), (CUT, task)
        elif work.point == D3:
            yield (D3, ''), (COEFFICIENTS, task, overview)
            yield CUT_OF_D3, (CUT, task, overview)
        elif work.point == D4:
            yield (D4, work.form), (PIXELS, task, work.form)


def _job(asked, work, key):
    """Return the question to the decoder for the result of a Work, kept as `key`."""
    region, reduce = asked.task
    return {'do': 'run', 'chain': asked.chain.name, 'key': key, 'form': work.form,
            'request': asked.request,
            'step': COEFFICIENTS if work.point == D3 else PIXELS,
            'task': [*(region or (None,) * 4), reduce], 'overview': asked.overview}
