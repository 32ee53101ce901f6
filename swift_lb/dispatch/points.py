"""At which point of a chain does the client take over? The predicted seconds of each. Pure.

H-SWEB (Andresen, McCune, section 2) predicts for each point

    t_s = t_redirection + t_data + t_server + t_net + t_client

    t_data      BATCHES of ranges x seconds a batch + bytes read / bytes a second; the object, D1,
                is read while it is sent: it takes as long as the slower of the two
    t_server    wait for a decoder + decoded pixels x decode + pixels of the result x its encoding
    t_net       R / 2 + N(bytes sent) by cost.py
    t_client    decoded pixels / the client's pixels per second, and of the result
                D3  REBUILD x pixels, for the inverse wavelet
                D4  UNPACK x pixels, for a PNG; raw pixels need nothing

t_redirection is that of routes.py. A result that is kept needs no t_data and no t_server. If the
cut is kept, nothing needs t_data: that of D2 and D4 is the result of D2; D3 has one of its own.

    REBUILD = 0.15, UNPACK = 0.08    seconds a pixel, times those of decoding a pixel. 512x512
                gray pixels took 3.2 ms to rebuild from coefficients, 1.7 ms from a PNG; 589,824
                were decoded in 48 ms
"""
from math import ceil
from typing import NamedTuple

from swift_lb.chains.chain import BATCH, D1, D2, D3, D4, PNG, Work
from swift_lb.dispatch.cost import Way, to_client

CUT_OF_D3 = D3, 'cut'       # of kept results
REBUILD, UNPACK = 0.15, 0.08


class ServerSide(NamedTuple):
    """How long a cluster takes for the steps of a chain, in seconds."""

    wait: float | None      # until a decoder is free; None: there is no decoder
    batch: float            # until the first byte of a request for ranges
    rate: float             # bytes a second of such a request
    decode: float = 0.0     # a pixel that is decoded; 0, as the next three, without a decoder
    png: float = 0.0        # a pixel of the result
    raw: float = 0.0        # likewise
    coefficients: float = 0.0


class ClientSide(NamedTuple):
    """What a client does, and its network."""

    points: tuple           # at which it can take over
    way: Way                # from here
    pixels: float | None    # that it decodes in a second, None if unknown


class PointCost(NamedTuple):
    """The predicted seconds of a Work, by term."""

    work: Work
    data: float
    server: float
    net: float
    client: float
    wait: float = 0.0       # the part of `server` until a decoder is free

    @property
    def seconds(self):
        """Their sum."""
        return self.data + self.server + self.net + self.client


def point_costs(works, server, client, kept=()):
    """Return the PointCosts of those `works` that can be used, the least first.

    `server` is a ServerSide, `client` a ClientSide. `kept` are the (point, form) of results that
    are kept, and CUT_OF_D3 if that is.
    """
    costs = [_cost(work, server, client, kept) for work in works if _is_usable(
        work, server, client, kept)]
    return sorted(costs, key=lambda cost: cost.seconds)


def _is_usable(work, server, client, kept):
    if work.point not in client.points:
        return False
    if work.point != D4 and client.pixels is None:
        return False
    return work.point not in (D3, D4) or server.wait is not None or _key(work) in kept


def _key(work):
    return work.point, work.form


def _cost(work, server, client, kept):
    net = client.way.rtt / 2 + to_client(work.size, client.way)
    data = ceil(work.ranges / BATCH) * server.batch + work.read / server.rate
    if work.point == D1:
        return PointCost(work, server.batch, 0.0, max(net, work.read / server.rate),
                         _client_seconds(work, client))
    cut = CUT_OF_D3 if work.point == D3 else (D2, '')
    if _key(work) in kept or cut in kept:
        data = 0.0
    wait = server.wait if work.point in (D3, D4) and _key(work) not in kept else 0.0
    seconds = 0.0 if _key(work) in kept else wait + _decoder_seconds(work, server)
    return PointCost(work, data, seconds, net, _client_seconds(work, client), wait)


def _decoder_seconds(work, server):
    if work.point not in (D3, D4):
        return 0.0
    encode = server.coefficients if work.point == D3 else (
        server.png if work.form == PNG else server.raw)
    return work.server_pixels * server.decode + work.pixels * encode


def _client_seconds(work, client):
    if not client.pixels:
        return 0.0
    made = {D3: REBUILD, D4: UNPACK if work.form == PNG else 0.0}.get(work.point, 0.0)
    return (work.client_pixels + made * work.pixels) / client.pixels
