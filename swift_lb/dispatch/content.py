"""The four classes of content that a request may have, and when a light one is delegated. Pure.

    LIGHT       carries next to nothing and computes nothing: HEAD, DELETE, metadata, making of
                containers and accounts, /info, /healthcheck, requests for tokens
    SMALL       small transfer: objects read (only the answer tells their size), listings (at most
                10,000 names, some 2 MB of JSON), bodies of less than LARGE_FROM
    LARGE       large transfer: bodies and ranges of LARGE_FROM and more, and bodies of unknown size
    COMPUTING   computationally requiring: one request from which the proxy makes many, or reads and
                writes whole objects: COPY, manifests of SLO (a HEAD of each segment), archives to
                unpack, bulk deletes, S3's multiple deletes and completed uploads; parts of images,
                of which the proxy reads the head and ranges, and which a decoder makes

The classes are from Wrzeszcz et al., "Two-Layer Load Balancing for Onedata System", Table 1: light
requests "have high priority and should be processed with no delays, i.e. meta-data requests",
and requests that "do not carry much information on the wire, but might consume considerable amounts
of server's processing power" are a class of their own, e.g. the copying of large files. The paper
does not say from which size on a transfer is large.

Facts that only headers show are arguments: a source to copy, the size of a Range. No request shows
that its object is erasure-coded or encrypted, which needs computing, too.

    LARGE_FROM = 1 MiB      16 of Swift's chunks of 64 KiB, 8 ms on the wire at 1 Gbit/s: from this
                            size on the transfer takes longer than the rest of most requests

To classify a request takes about 1 us.
"""
from typing import NamedTuple

from swift_lb.chains.query import EITHER, REDUCE, REGION

LIGHT, SMALL, LARGE, COMPUTING = 'light', 'small', 'large', 'computing'
CLASSES = (LIGHT, SMALL, LARGE, COMPUTING)
LARGE_FROM = 1 << 20        # bytes
# First parts of a path that are not buckets of S3: Swift's filters and ours answer there.
OWN = frozenset(('info', 'healthcheck', 'auth', 'recon', 'endpoints', 'crossdomain.xml',
                 'lb-status', 'favicon.ico', ''))
VERSIONS = frozenset(('v1', 'v1.0'))
BODIES = frozenset(('PUT', 'POST'))
# parameter (and, where it matters, its value): the methods of which it makes a computing request
COMPUTES = {
    'extract-archive': ('PUT',),
    'bulk-delete': ('POST', 'DELETE'),
    'multipart-manifest=put': ('PUT',),
    'multipart-manifest=delete': ('DELETE',),
    'delete': ('POST',),        # s3api: multiple deletes
    'uploadId': ('POST',),      # s3api: a multipart upload is completed, as an SLO
    REGION: ('GET',),
    REDUCE: ('GET',),
}
# Bulk uploads and deletes: Swift sends 200 first, to keep clients awake, and then does the work.
EARLY = ('extract-archive', 'bulk-delete', 'multipart-manifest=delete', 'heartbeat')


def answers_early(query):
    """Return whether a query string makes Swift send an answer's head before it does the work."""
    return bool(query) and any(word in query for word in EARLY)


def content_class(method, path, size=0, query='', *, copies=False, range_size=None):
    """Return the class of a request: LIGHT, SMALL, LARGE or COMPUTING.

    `size` is the bytes of its body, 0 without a body, None if unknown; `copies`: a header names an
    object to copy (X-Copy-From, X-Amz-Copy-Source); `range_size`: bytes of a GET's Range, or None.
    """
    if method == 'GET':
        if EITHER in query and is_object(path) and _computes(method, query):
            return COMPUTING
        return _read_class(path, range_size)
    if copies or method == 'COPY' or (query and _computes(method, query)):
        return COMPUTING
    if method in BODIES and size != 0:
        return LARGE if size is None or size >= LARGE_FROM else SMALL
    return SMALL if method == 'PUT' and is_object(path) else LIGHT


def _read_class(path, range_size):
    if path[1:].partition('/')[0] in OWN:
        return LIGHT
    return LARGE if range_size is not None and range_size >= LARGE_FROM else SMALL


def _computes(method, query):
    for parameter in query.split('&'):
        name = parameter.partition('=')[0]
        methods = COMPUTES.get(parameter) or COMPUTES.get(name) or ()
        if method in methods:
            return True
    return False


def is_object(path):
    """Return whether a path names an object: /v1/ACCOUNT/CONTAINER/OBJECT, or S3's /BUCKET/KEY."""
    first, _, rest = path[1:].partition('/')
    parts = rest.split('/', 2)
    if first in VERSIONS:
        return len(parts) == 3 and parts[2] != ''
    return first not in OWN and rest != ''


class StayMargin(NamedTuple):
    """How much sooner a peer has to answer before a request is delegated.

    A light request should not be delayed. The hop to a peer delays it and costs each of the two
    proxies some 0.3 ms of CPU, as much as the request itself; so at moderate load the request
    stays. It is delegated if that saves `seconds`, or if it takes `times` as long here as at the
    peer with the hop.
    """

    seconds: float
    times: float

    def keeps(self, here, elsewhere):
        """Return whether a request stays, from its expected seconds `here` and `elsewhere`.

        `elsewhere` is at the peer, including the hop.
        """
        return here - elsewhere < self.seconds and here < self.times * elsewhere


#   seconds = 0.1   what a person does not notice (Nielsen, "Response times: the three important
#                   limits")
#   times = 4       each of the two forecasts may be wrong by a factor of 2
LIGHT_MARGIN, NO_MARGIN = StayMargin(0.1, 4.0), StayMargin(0.0, 1.0)


def stay_margin(content):
    """Return the StayMargin by which a peer must answer sooner a request of the class `content`."""
    return LIGHT_MARGIN if content == LIGHT else NO_MARGIN
