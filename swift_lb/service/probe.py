"""Measure the bandwidth of the link from another cluster, by PROBE_BYTES from one of its proxies.

A probe is two requests on a connection. The answer to the first opens the window of TCP, so that
the second one comes as quickly as the link allows; of it the part after SKIPPED bytes, which are
read with the head, and before the last SKIPPED, which may wait for this host's window, is timed.
"""
import secrets
from http.client import HTTPConnection, HTTPException

from swift_lb.clock import monotonic
from swift_lb.errors import WireError
from swift_lb.service.cluster_forecasts import PROBES
from swift_lb.wire.hop import CLUSTER_FOR, CLUSTER_HEADER, Hop, encode
from swift_lb.wire.observations import LEAST, PROBE, PROBE_BYTES, RelayedBody

TIMEOUT = 10.0          # seconds without a byte
SKIPPED = PROBE_BYTES // 4


def probe(relay, cluster, here, key, wall):
    """Return the RelayedBody of a probe of `relay`, IP:PORT in `cluster`; None if it fails.

    `here` is the name of this cluster, `key` signs, `wall()` is the time of day.
    """
    connection = HTTPConnection(relay, timeout=TIMEOUT)
    try:
        for _number in range(PROBES):
            seconds = _ask(connection, relay, here, key, wall)
    except (OSError, HTTPException, WireError):
        return None
    finally:
        connection.close()
    return None if seconds is None else RelayedBody(
        cluster, PROBE_BYTES - 2 * SKIPPED, max(LEAST, seconds))


def _ask(connection, relay, here, key, wall):
    """Return the seconds of the middle of an answer; None for one that is no probe's."""
    hop = Hop(here, relay, wall(), secrets.token_hex(8), '0.0.0.0', '', 'http', '', False)
    connection.request('GET', PROBE, headers={
        CLUSTER_HEADER: encode(key, hop, 'GET', PROBE, CLUSTER_FOR)})
    answer = connection.getresponse()
    if answer.status != 200 or answer.length != PROBE_BYTES:
        raise HTTPException(f'status {answer.status}')
    answer.read(SKIPPED)
    since = monotonic()
    middle = answer.read(PROBE_BYTES - 2 * SKIPPED)
    seconds = monotonic() - since
    answer.read()
    return seconds if len(middle) == PROBE_BYTES - 2 * SKIPPED else None
