"""What answering a request takes: the four classes of content, and how ready each is to go. Pure.

    LIGHT       carries next to nothing and computes nothing: HEAD, DELETE, metadata, containers
                and accounts made, /info, /healthcheck, tokens
    SMALL       small transfer: objects read (how large they are, the answer tells), listings (at
                most 10,000 names, some 2 MB of JSON), bodies of less than LARGE_FROM
    LARGE       large transfer: bodies and ranges of LARGE_FROM and more, and bodies of unknown size
    COMPUTING   computationally requiring: one request of which the proxy makes many, or reads and
                writes whole objects: COPY, manifests of SLO (a HEAD of each segment), archives to
                unpack, bulk deletes, S3's multiple deletes and completed uploads

They are those of Table 1 in Wrzeszcz et al., "Two-Layer Load Balancing for Onedata System", 3.1.2:
light requests "have high priority and should be processed with no delays, i.e. meta-data requests",
and requests that "do not carry much information on the wire, but might consume considerable amounts
of server's processing power" are a class of their own, e.g. the copying of large files. The paper
does not say from where on a transfer is large.

What only headers tell is an argument: a source that is copied, what a Range asks for. That an
object is erasure-coded or encrypted, which computes too, no request says.

    LARGE_FROM = 1 MiB      16 of Swift's chunks of 64 KiB; at 1 Gbit/s 8 ms on the wire: from there
                            on the transfer takes more than the rest of most requests

Does not yield; some 1 us a request.
"""
from typing import NamedTuple

LIGHT, SMALL, LARGE, COMPUTING = 'light', 'small', 'large', 'computing'
CLASSES = (LIGHT, SMALL, LARGE, COMPUTING)
LARGE_FROM = 1 << 20        # bytes
# a path's first part that is no bucket of S3: Swift's filters and ours answer there
OWN = frozenset(('info', 'healthcheck', 'auth', 'recon', 'endpoints', 'crossdomain.xml',
                 'lb-status', 'favicon.ico', ''))
VERSIONS = frozenset(('v1', 'v1.0'))
BODIES = frozenset(('PUT', 'POST'))
# parameter (and, where it matters, its value): of which methods it makes a computing request
COMPUTES = {
    'extract-archive': ('PUT',),
    'bulk-delete': ('POST', 'DELETE'),
    'multipart-manifest=put': ('PUT',),
    'multipart-manifest=delete': ('DELETE',),
    'delete': ('POST',),        # s3api: multiple deletes
    'uploadId': ('POST',),      # s3api: a multipart upload is completed, as an SLO
}
# of bulk uploads and deletes: Swift says 200 first, so that clients stay awake, and then does it
EARLY = ('extract-archive', 'bulk-delete', 'multipart-manifest=delete', 'heartbeat')


def answers_early(query):
    """Return whether an answer's head may come before the work."""
    return bool(query) and any(word in query for word in EARLY)


def content_class(method, path, size=0, query='', *, copies=False, range_size=None):
    """Return the class of a request.

    `size` is its body's, 0 of none, None where that is unknown; `copies`: a header names an object
    to copy (X-Copy-From, X-Amz-Copy-Source); `range_size`: bytes that a GET asks for, if it says.
    """
    if method == 'GET':
        return content_read(path, range_size)
    if copies or method == 'COPY' or (query and computes(method, query)):
        return COMPUTING
    if method in BODIES and size != 0:
        return LARGE if size is None or size >= LARGE_FROM else SMALL
    return SMALL if method == 'PUT' and is_object(path) else LIGHT


def content_read(path, range_size):
    """Return the class of a GET."""
    if path[1:].partition('/')[0] in OWN:
        return LIGHT
    return LARGE if range_size is not None and range_size >= LARGE_FROM else SMALL


def computes(method, query):
    """Return whether a parameter of `query` makes a request of `method` a computing one."""
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


class Patience(NamedTuple):
    """How much sooner a request has to be answered elsewhere to be handed on.

    A light one is to be answered without delay, and a hop is a delay of its own that costs both
    proxies some 0.3 ms of CPU each, as much as such a request itself: at moderate load it stays.
    It goes if that saves `seconds`, or if it takes `times` as long here as there, the hop included.
    """

    seconds: float
    times: float

    def holds(self, here, there):
        """Return whether a request stays here; seconds expected, `there` with the hop."""
        return here - there < self.seconds and here < self.times * there


#   seconds = 0.1   what a person does not notice (Nielsen, "Response times: the three important
#                   limits"): below that a light request is answered without delay as it is
#   times = 4       one may be off by 2 here and the other by 2 there, and it is no mistake yet
MODERATE, NONE = Patience(0.1, 4.0), Patience(0.0, 1.0)


def patience(content):
    """Return the Patience with which a request of the class `content` stays here."""
    return MODERATE if content == LIGHT else NONE
