"""The signed parameter lb_from of a request whose client another cluster has redirected. Pure.

    lb_from=CLUSTER.VERSION.EXPIRES.SERVED.GAIN.SIGNATURE

CLUSTER is the cluster that redirected; VERSION the object's version there (version_of), ABSENT if
the object is absent there, UNSEEN if it was not looked for; EXPIRES whole seconds since 1970;
SERVED and GAIN are those of Origin in milliseconds, - if unknown. The signature is HMAC-SHA256 with
the clusters' key, in hexadecimal, over the constant FOR, the fields before it, and the request's
path and query without this parameter.
"""
import hashlib
import re
from typing import NamedTuple

from swift_lb.wire.cluster_summary import CLUSTER, MAX_SECONDS
from swift_lb.wire.signature import LENGTH, MAGIC, sign, verified

PARAMETER = 'lb_from'
FOR = 'lb_from 1'
ABSENT, UNSEEN = '0' * 16, 'f' * 16     # no version has these, but for one of 2^63
LASTS = 60          # seconds for which a redirect is valid
UNKNOWN, DIGITS = '-', 8    # of a number of seconds; of the signature in Origin.name
TEXT = re.compile(rf'({CLUSTER.pattern})\.([0-9a-f]{{16}})\.([0-9]{{1,12}})\.(-|[0-9]{{1,7}})\.'
                  rf'(-|-?[0-9]{{1,7}})\.([0-9a-f]{{{2 * LENGTH}}})')


class Origin(NamedTuple):
    """Where a redirected request comes from."""

    cluster: str        # that redirected its client
    version: str        # of the object there, as version_of() returns it, ABSENT or UNSEEN
    served: float | None = None     # seconds predicted from when the request comes until the last
    #                                 byte is with the client, half a round trip left out
    gain: float | None = None       # seconds by which that was to be sooner than there
    name: str = ''                  # of this redirect: the first DIGITS of its signature


def version_of(etag, timestamp):
    """Return 16 hexadecimal digits that name a version: an ETag and an X-Timestamp, two texts."""
    return hashlib.sha256(f'{etag.strip(chr(34))} {timestamp}'.encode()).hexdigest()[:16]


def encode(key, origin, expires, target):
    """Return the value of lb_from that `key` signs; `target` is the path and query without it."""
    fields = '.'.join((origin.cluster, origin.version, str(int(expires)),
                       milliseconds(origin.served), milliseconds(origin.gain)))
    signed = sign(key, signed_bytes(fields, target))
    return f'{fields}.{signed[len(MAGIC):len(MAGIC) + LENGTH].hex()}'


def decode(keys, text, target, now):
    """Return the Origin in a value of lb_from, None if it is expired or none of `keys` signed it.

    `target` is the request's path and query without the parameter, `now` seconds since 1970.
    """
    match = TEXT.fullmatch(text)
    if match is None:
        return None
    cluster, version, expires, served, gain, signature = match.groups()
    payload = signed_bytes(text[:match.start(6) - 1], target)
    if verified(keys, MAGIC + bytes.fromhex(signature) + payload) is None:
        return None
    if not now <= int(expires) <= now + 2 * LASTS:
        return None
    return Origin(cluster, version, seconds(served), seconds(gain), signature[:DIGITS])


def milliseconds(value):
    """Return seconds as the text of SERVED and GAIN, UNKNOWN for None or more than MAX_SECONDS."""
    return UNKNOWN if value is None or abs(value) > MAX_SECONDS else str(round(value * 1000))


def seconds(text):
    """Return the seconds in a text of milliseconds()."""
    return None if text == UNKNOWN else int(text) / 1000


def signed_bytes(fields, target):
    """Return the bytes that are signed: FOR, the `fields` before the signature, and the target."""
    return f'{FOR}\n{fields}\n{target}'.encode('utf-8', 'surrogatepass')


def with_parameter(target, value):
    """Return a path and query with the parameter lb_from=`value` added."""
    return f'{target}{"&" if "?" in target else "?"}{PARAMETER}={value}'


def without_parameter(query):
    """Return (`query` without each lb_from, the last value of it or None)."""
    if PARAMETER not in query:
        return query, None
    value, kept = None, []
    for part in query.split('&'):
        name, _equals, text = part.partition('=')
        if name == PARAMETER:
            value = text
        else:
            kept.append(part)
    return '&'.join(kept), value
