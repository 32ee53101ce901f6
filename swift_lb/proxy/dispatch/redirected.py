"""Measures reads that another cluster has redirected here, and notes the results for that cluster.

That cluster has predicted the seconds from its redirect on. Here only the seconds from the request
until the client has the last byte are known; the round trips by which the client came are taken to
be as predicted. So

    error   = seconds from the request until the last byte - Origin.served
    gain    = Origin.gain - error

The seconds of a part of an image end with its last byte, too: the client's work after it is in no
prediction here.
"""
from functools import partial

from swift_lb.model import EndedRedirect
from swift_lb.proxy.dispatch.clients import seconds_left, socket_of
from swift_lb.proxy.dispatch.facts import image_key
from swift_lb.proxy.guard import fails_open


def predicted(chosen):
    """Return (`served`, `gain`), seconds for the Origin of a read redirected by a ChosenRoute.

    `served` are those predicted of head and body there; `gain` is by how much the read is predicted
    to be sooner than here. Each is None if unknown, `gain` also of a try.
    """
    if chosen.cost is None:
        return None, None
    gain = None if chosen.is_try or chosen.here is None else chosen.here[1] - chosen.cost.seconds
    return chosen.cost.served, gain


class RedirectedReads:
    """Measures the reads of one worker whose clients other clusters have redirected here."""

    def __init__(self, clock, note, fall_back):
        """`note(cluster, EndedRedirect)` is called at the end of each; `clock()` returns seconds.

        `fall_back(component)` reports a component that has failed.
        """
        self._clock, self._note, self.fall_back = clock, note, fall_back

    @fails_open('clusters')
    def on_end(self, origin, env):
        """Return a function to call when the last byte of a read was written.

        None if nothing was predicted of it. The read, with the environment `env` and the Origin
        `origin`, begins now.
        """
        if origin.served is None:
            return None
        return partial(self._ended, origin, self._clock(), socket_of(env.get('wsgi.input')),
                       image_key(env) is not None)

    @fails_open('clusters')
    def _ended(self, origin, begun, connection, is_part):
        left = 0.0 if connection is None else seconds_left(connection)
        error = self._clock() - begun + left - origin.served
        self._note(origin.cluster, EndedRedirect(
            origin.name, error, None if origin.gain is None else origin.gain - error, is_part))
