"""`egg:swift-lb#lb_image`: GET OBJECT?lb_region=X,Y,W,H&lb_reduce=N answers a part of an image.

    [filter:lb_image]
    use = egg:swift-lb#lb_image

Put it right of the filters that authenticate, and left of slo, dlo and the second proxy-logging. It
asks for the object's headers first, with the client's own authorisation: a client that may not read
the object gets nothing of it.

With lb_why=true the answer is a JSON document: which points there are for the request, with their
predicted seconds, and for a client with a token which clusters.
"""
import sys

from swift.common.utils import get_logger

from swift_lb import clock
from swift_lb.chains.chain import D4, PNG
from swift_lb.chains.query import EITHER, asked_part
from swift_lb.chains.registry import chain_of, chains
from swift_lb.concurrency import sleep, spawn
from swift_lb.errors import BAD_REQUEST, ChainError, WireError
from swift_lb.proxy.counts import WorkerCounts
from swift_lb.proxy.dispatch.answers import answer, refuse_hop
from swift_lb.proxy.dispatch.image_routes import ROUTES
from swift_lb.proxy.dispatch.incoming import LACKS, UNDECODED
from swift_lb.proxy.dispatch.place import image_faults
from swift_lb.proxy.filter_options import filter_options
from swift_lb.proxy.guard import Guard, fails_open
from swift_lb.proxy.image.answers import part_answer, unchanged
from swift_lb.proxy.image.decoder import Decoder, DecoderError
from swift_lb.proxy.image.options import ImageFilterOptions
from swift_lb.proxy.image.parts import ImageParts
from swift_lb.proxy.image.reader import ObjectReader, UnreadError
from swift_lb.proxy.image.side import is_of_peer, side_of
from swift_lb.proxy.image.times import ReadTimes
from swift_lb.proxy.image.why import described, is_known
from swift_lb.proxy.in_force import publish
from swift_lb.proxy.paste_conf import conf_around
from swift_lb.proxy.status import reply
from swift_lb.wire.image_client import ImageClient, decode

CLIENT = 'HTTP_X_LB_CLIENT'
MADE_BY = 'swift.source'    # of a request that another filter makes, such as copy
UNAWARE = ImageClient((D4,))
FLUSH_EVERY = 1.0   # seconds
MICRO = 1e6


class ImageFilter:
    """The WSGI filter in one worker: answers requests for parts of images, passes others on."""

    def __init__(self, app, options, conf, logger):
        """Take the next WSGI app, ImageFilterOptions, {name: text} of [DEFAULT], and a logger."""
        self.app, self._conf = app, conf
        self._counts, self._begun = WorkerCounts(), False
        self._guard = Guard(self._counts, logger, clock.monotonic)
        self.fall_back = self._guard.fall_back      # for fails_open
        self._times = ReadTimes(clock.monotonic)
        decoder = Decoder(options.socket, options.patience, clock.monotonic)
        self._parts = ImageParts(decoder, self._times, self._fall_back)

    def __call__(self, env, start_response):
        """Answer a request for a part of an image; call the next app for all others."""
        query = env.get('QUERY_STRING', '')
        if EITHER not in query or env['REQUEST_METHOD'] != 'GET' or (
                env.get('PATH_INFO', '').count('/') < 4) or MADE_BY in env:      # most requests
            return self.app(env, start_response)
        if not self._begun:
            self._begin()
        try:
            part = asked_part(query)
            if part is None:
                return self.app(env, start_response)
            if CLIENT in env:
                client = decode(env[CLIENT])
            else:
                client, part = UNAWARE, part._replace(form=part.form or PNG)
            body = self._part(env, start_response, part, client)
        except WireError as err:
            return self._refuse(env, start_response, BAD_REQUEST, err)
        except ChainError as err:
            return self._refuse(env, start_response, err.status, err)
        env['QUERY_STRING'] = part.rest
        return self.app(env, start_response) if body is None else body

    def _fall_back(self, component):
        """Report a component that has failed: a daemon that does not answer is no bug here."""
        err = sys.exc_info()[1]
        self.fall_back(component, f'swift-lb-image does not answer, so images are sent without '
                       f'being decoded: {err}' if isinstance(err, DecoderError) else None)

    def _refuse(self, env, start_response, status, err):
        self._counts.count('image_refused', status[:3])
        return answer(env, start_response, status, str(err))

    def _part(self, env, start_response, part, client):
        """Return the body of the answer to a request, None if it is the object as it is.

        Raises ChainError if the part cannot be had of this image.
        """
        try:
            return self._answered(env, start_response, part, client)
        except ChainError:
            raise
        except UnreadError as err:
            self.fall_back('reader', f'{env["PATH_INFO"]}: {err}')
        except Exception:
            self.fall_back('image')
        return None

    def _answered(self, env, start_response, part, client):
        reader = ObjectReader(self.app, env, part.rest, self._times)
        head = reader.head()
        chain = head and chain_of(env['PATH_INFO'], head.content_type)
        if not chain:
            return None
        overview = client.overview if client.version == head.etag else None
        asked, side = self._parts.asked(chain, reader, part, overview), side_of(env, client)
        costs, server = self._parts.costs(asked, side), self._parts.server(asked)
        # Without costs, a peer asks another proxy of this cluster, which may have a decoder.
        routes = env.get(ROUTES) if costs or not is_of_peer(env) else None
        if part.why:
            return reply(start_response, '200 OK', described(asked, costs, side, server, routes,
                                                             is_known(env)))
        made = unchanged(env, asked, costs)
        if made is None:
            body = routes and routes.answer(asked, costs, side, server, env, start_response)
            if body is not None:
                return body
            made = self._parts.part(asked, costs, reader)
            if made and routes:
                routes.made()
        if made is None and lacks_decoder(asked, costs):
            if is_of_peer(env):
                return refuse_hop(env, start_response, UNDECODED)
            if LACKS in env:
                env[LACKS]()
        if made is None:
            made = self._parts.undecoded(asked, reader)
        self._note(asked, made, costs, side)
        return self._parts.room.sent(part_answer(
            self.app, env, start_response, asked, made, head))

    @fails_open('image counts')
    def _note(self, asked, made, costs, side):
        """Count a Part, and the seconds that its point and what had been kept have saved."""
        self._counts.count('image_parts', made.point, 'kept' if made.kept else 'made')
        for by, seconds in zip(('point', 'kept'), self._parts.note(asked, made, costs, side),
                               strict=True):
            if seconds:
                self._counts.count('image_saved_us', by, many=round(MICRO * seconds))

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


def lacks_decoder(asked, costs):
    """Return whether an AskedImage, of which no Part was made, could be made if a decoder answered.

    `costs` are its PointCosts here: without any, the client may say that it can use no point.
    """
    return asked.is_decodable and (bool(costs) or not asked.quote)


def filter_factory(global_conf, **local_conf):
    """Return a function that wraps an app in an ImageFilter, for PasteDeploy.

    Raises ConfigFileError with every fault of the section.
    """
    around = conf_around(global_conf)
    options = filter_options(ImageFilterOptions, 'lb_image', global_conf, local_conf,
                             image_faults(around.pipeline, around.where))
    # Here, a plug-in that cannot be loaded is a fault at start, not at a request.
    publish(images=sorted(chains()))
    conf = {**global_conf, **local_conf}
    logger = get_logger(conf, log_route='lb_image')
    return lambda app: ImageFilter(app, options, conf, logger)
