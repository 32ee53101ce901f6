"""`egg:swift-lb#lb_image`: GET OBJECT?lb_region=X,Y,W,H&lb_reduce=N answers a part of an image.

    [filter:lb_image]
    use = egg:swift-lb#lb_image

Put it right of the filters that authenticate, and left of slo, dlo and the second proxy-logging. It
asks for the object's headers first, with the client's own authorisation: a client that may not read
the object gets nothing of it.
"""
import math
from typing import NamedTuple

from swift.common.utils import get_logger
from swift.common.wsgi import ConfigFileError

from swift_lb import clock
from swift_lb.chains.chain import D4
from swift_lb.chains.query import asked_part
from swift_lb.chains.registry import chain_of
from swift_lb.concurrency import sleep, spawn
from swift_lb.config import read_options
from swift_lb.dispatch.cost import Way
from swift_lb.dispatch.points import ClientSide
from swift_lb.errors import ChainError, ConfigError, WireError
from swift_lb.proxy.counts import WorkerCounts
from swift_lb.proxy.dispatch.answers import answer
from swift_lb.proxy.dispatch.clients import path_of, socket_of
from swift_lb.proxy.dispatch.incoming import DELEGATED
from swift_lb.proxy.guard import Guard, fails_open
from swift_lb.proxy.image.decoder import Decoder
from swift_lb.proxy.image.options import ImageFilterOptions
from swift_lb.proxy.image.parts import AskedImage, ImageParts, Part
from swift_lb.proxy.image.reader import ObjectReader, UnreadError
from swift_lb.proxy.image.times import ReadTimes
from swift_lb.wire.image_client import ImageClient, decode

CLIENT = 'HTTP_X_LB_CLIENT'
UNAWARE = ImageClient((D4,))
POINT, VERSION = 'X-Lb-Point', 'X-Lb-Object-Etag'
ETAG = 32           # hexadecimal digits of a part's
OWN = frozenset(('content-length', 'content-type', 'content-encoding', 'etag', 'accept-ranges',
                 'date', 'connection', 'transfer-encoding', 'x-trans-id', 'x-openstack-request-id'))
FLUSH_EVERY = 1.0   # seconds


class MadePart(NamedTuple):
    """A Part that was made, and the choice that led to it."""

    part: Part
    asked: AskedImage
    costs: list             # PointCosts, the least first
    headers: list           # of the object, which the part has, too


class ImageFilter:
    """The WSGI filter in one worker: answers requests for parts of images, passes others on."""

    def __init__(self, app, options, conf, logger):
        """Take the next WSGI app, ImageFilterOptions, {name: text} of [DEFAULT], and a logger."""
        self.app, self._options, self._conf = app, options, conf
        self._counts, self._begun = WorkerCounts(), False
        self.fall_back = Guard(self._counts, logger, clock.monotonic).fall_back
        self._times = ReadTimes(clock.monotonic)
        self._parts = ImageParts(Decoder(options.socket, options.patience), self._times,
                                 self.fall_back)

    def __call__(self, env, start_response):
        """Answer a request for a part of an image; call the next app for all others."""
        query = env.get('QUERY_STRING', '')
        if 'lb_re' not in query or env['REQUEST_METHOD'] != 'GET' or (
                env.get('PATH_INFO', '').count('/') < 4):       # most requests
            return self.app(env, start_response)
        self._begun or self._begin()
        try:
            part = asked_part(query)
            if part is None:
                return self.app(env, start_response)
            client = decode(env[CLIENT]) if CLIENT in env else UNAWARE
            made = self._made(env, part, client)
        except WireError as err:
            return self._refuse(env, start_response, '400 Bad Request', err)
        except ChainError as err:
            return self._refuse(env, start_response, err.status, err)
        env['QUERY_STRING'] = part.rest
        if made is None:
            return self.app(env, start_response)
        return self._answer(env, start_response, made)

    def _refuse(self, env, start_response, status, err):
        self._counts.count('image_refused', status[:3])
        return answer(env, start_response, status, str(err))

    def _made(self, env, part, client):
        """Return the MadePart of a request, None if the object is to be answered as it is.

        Raises ChainError if the part cannot be had of this image.
        """
        try:
            reader = ObjectReader(self.app, env, self._times)
            head = reader.head()
            chain = head and chain_of(env['PATH_INFO'], head.content_type)
            if not chain:
                return None
            has_overview = client.version == head.etag
            asked = self._parts.asked(chain, reader, part,
                                      client.overview if has_overview else None)
            costs = self._parts.costs(asked, self._side(env, client))
            made = self._parts.part(asked, costs, reader)
        except (ChainError, UnreadError) as err:
            if isinstance(err, ChainError):
                raise
            self.fall_back('reader', f'{env["PATH_INFO"]}: {err}')
            return None
        except Exception:
            self.fall_back('image')
            return None
        return MadePart(made, asked, costs, reader.headers(OWN))

    def _side(self, env, client):
        """Return the ClientSide of a request: as the client says, else as its connection shows."""
        connection = None if DELEGATED in env else socket_of(env.get('wsgi.input'))
        seen = connection and path_of(connection)
        rtt, bandwidth = seen[:2] if seen else (0.0, None)
        way = Way(client.latency or rtt, client.bandwidth or bandwidth or math.inf)
        return ClientSide(client.points, way, client.pixels)

    def _answer(self, env, start_response, made):
        """Answer a request with a MadePart; D1 is the next app's answer."""
        part, asked = made.part, made.asked
        self._note(made)
        shown = [(POINT, part.point), ('Vary', 'X-Lb-Client')]
        if part.body is None:
            return self.app(env, lambda status, headers, *rest: start_response(
                status, [*headers, *shown], *rest))
        etag = f'"{part.key[:ETAG]}"'
        region = asked.chain.region(asked.index, asked.task)
        headers = [*made.headers, *shown, ('ETag', etag),
                   (VERSION, asked.source.etag), ('X-Lb-Region', ','.join(map(str, region))),
                   ('X-Lb-Reduce', str(asked.task.reduce))]
        if etag in env.get('HTTP_IF_NONE_MATCH', ''):
            start_response('304 Not Modified', headers)
            return []
        start_response('200 OK', [*headers, ('Content-Type', part.content_type),
                                  ('Content-Length', str(len(part.body)))])
        return [part.body]

    @fails_open('image counts')
    def _note(self, made):
        part = made.part
        self._counts.count('image_parts', part.point, 'kept' if part.kept else 'made')

    @fails_open('begin')
    def _begin(self):
        """Prepare a worker at its first request; constructors also run in the workers' parent."""
        self._begun = True
        self._counts.emit_through(getattr(self, '_pipeline_final_app', None), self._conf)
        spawn(self._flush_for_ever)

    def _flush_for_ever(self):
        while True:
            sleep(FLUSH_EVERY)
            self._flush()

    @fails_open('image counts')
    def _flush(self):
        self._counts.flush()


def filter_factory(global_conf, **local_conf):
    """Return a function that wraps an app in an ImageFilter, for PasteDeploy.

    Raises ConfigFileError with every fault of the section.
    """
    path = global_conf.get('__file__', 'conf')
    try:
        options = read_options(ImageFilterOptions, local_conf, f'{path}, [filter:lb_image]')
    except ConfigError as err:
        raise ConfigFileError(str(err)) from None
    conf = {**global_conf, **local_conf}
    logger = get_logger(conf, log_route='lb_image')
    return lambda app: ImageFilter(app, options, conf, logger)
