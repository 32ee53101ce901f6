"""Which reads may leave, and which answer of another cluster a read may be given.

    early     before the request is served here: regions of one Swift, and containers that are
              declared immutable, since the object's version is not known yet
    late      this cluster has answered 200, with LATE_FROM bytes or more: the version is known, and
              only an answer with the same ETag and X-Timestamp is accepted from elsewhere
    absent    all primaries here answered 404, none with a tombstone
    back      another cluster has redirected the client here, and what is here is not what it has
    hedge     as early, but while this cluster serves the request
    image     the filter lb_image has read the head of the object here, and knows what each point of
              its chain takes: as late, whatever the size is

A manifest or a symlink may name objects of other containers, which are not synced or may change. So
before its version is known, a read gets such an answer only from a region of the same Swift.
"""
from functools import partial
from math import inf
from typing import NamedTuple

from swift_lb.dispatch.clusters import patience_of
from swift_lb.proxy.dispatch.delegation import header_of
from swift_lb.wire.redirect import ABSENT as ABSENT_THERE
from swift_lb.wire.redirect import UNSEEN, version_of

EARLY, LATE, ABSENT, BACK, HEDGE, IMAGE = 'early', 'late', 'absent', 'back', 'hedge', 'image'
PLANNED = EARLY, LATE, IMAGE    # moments when this cluster can serve a read, too
READS = ('GET', 'HEAD')
LATE_FROM = 65536       # bytes; one piece of the body has been read when an answer of Swift begins
MANIFESTS = 'x-static-large-object', 'x-object-manifest'
LINKED = 'content-location'     # of an answer to which a symlink has led
OF_PART = 'x-lb-object-etag'     # of an image's part, which has an ETag of its own
POINT = 'x-lb-point'            # of every answer of lb_image for a part
VERSION = 'etag', 'x-timestamp', OF_PART
CONDITIONAL = '304', '412', '416'
ANSWERS = frozenset((412, 416))     # statuses above 399 of objects that are there


class Wanted(NamedTuple):
    """Which answers of another cluster are of use, and how long one is waited for."""

    accepts: object             # accepts(answer) returns whether an Answer is of use
    errors: frozenset           # statuses above 399 that are of use
    patience: float             # seconds for which its head is waited for


def is_object(path):
    """Return whether a request's path is that of an object: /v1/ACCOUNT/CONTAINER/OBJECT."""
    parts = path.split('/', 4)
    return len(parts) == 5 and parts[1] == 'v1' and all(parts[2:])


def late_size(method, status, headers):
    """Return the bytes of an answer of this cluster that another one may replace, None if none may.

    `status` are three digits, `headers` is {lower-case name: value}.
    """
    size = headers.get('content-length', '')
    if method == 'HEAD' or status not in ('200', '206') or any(
            name in headers for name in MANIFESTS):
        return None
    return int(size) if size.isdecimal() and int(size) >= LATE_FROM else None


def version_of_headers(headers):
    """Return the version, as version_of() makes it, in an answer's headers; None without one.

    `headers` is {lower-case name: value}.
    """
    etag, timestamp, whole = (headers.get(name) for name in VERSION)
    return version_of(whole or etag, timestamp) if etag and timestamp else None


def wanted_at(moment, version, in_region, cost):
    """Return what is Wanted at a moment; `cost` is the RouteCost of the route, or None.

    The other arguments are those of is_acceptable().
    """
    accepts = is_part if moment == IMAGE else is_acceptable
    return Wanted(partial(accepts, version, in_region),
                  ANSWERS | {404} if moment == BACK else ANSWERS, patience_at(moment, cost))


def patience_at(moment, cost):
    """Return the seconds for which a head is waited for; infinite if this cluster has no answer."""
    return patience_of(cost) if moment in PLANNED else inf


def is_acceptable(version, in_region, answer):
    """Return whether an Answer of another cluster may be given to a read.

    `version` is that of its object here, as version_of() makes it; UNSEEN if it is not known yet,
    or ABSENT_THERE if any version is right. `in_region` says whether the other cluster is a region
    of this Swift.
    """
    headers = {name: header_of(answer, name) for name in (*VERSION, *MANIFESTS, LINKED)}
    if version == UNSEEN:
        return in_region or stands_alone(headers)
    return version in (ABSENT_THERE, version_of_headers(headers))


def is_part(version, in_region, answer):
    """Return whether an Answer is acceptable, and is a part of an image, at whatever point.

    It is the whole object where no proxy has lb_image. The arguments are those of is_acceptable().
    """
    return header_of(answer, POINT) is not None and is_acceptable(version, in_region, answer)


def is_what_origin_has(origin, in_region, status, headers):
    """Return whether an answer of this cluster is the one that the redirecting cluster would give.

    `origin` is the Origin in its redirect; `in_region` says whether it is a region of this Swift;
    `status` are three digits, `headers` is {lower-case name: value}, of the answer.
    """
    if origin.version == UNSEEN:
        return (status < '300' or status in CONDITIONAL) and (in_region or stands_alone(headers))
    return origin.version in (ABSENT_THERE, version_of_headers(headers))


def stands_alone(headers):
    """Return whether an answer is neither of a manifest nor by way of a symlink.

    `headers` is {lower-case name: value}; a value may be None.
    """
    return not any(headers.get(name) for name in (*MANIFESTS, LINKED))
