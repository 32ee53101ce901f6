"""Measures reads that another cluster has redirected here, and notes the results for that cluster.

That cluster has predicted the seconds from its redirect on. Here only the seconds from the request
until the client has the last byte are known; the round trips by which the client came are taken to
be as predicted. So

    error   = seconds from the request until the last byte - Origin.served
    gain    = Origin.gain - error
"""
from swift_lb.model import EndedRedirect
from swift_lb.proxy.dispatch.clients import seconds_left, socket_of


def predicted(chosen):
    """Return (`served`, `gain`), seconds for the Origin of a read redirected by a ChosenRoute.

    `served` are those predicted of head and body there; `gain` is by how much the read is predicted
    to be sooner than here. Each is None if unknown; `gain` also of a try.
    """
    if chosen.cost is None:
        return None, None
    terms = dict(chosen.cost.terms)
    gain = None if chosen.is_try or chosen.here is None else chosen.here[1] - chosen.cost.seconds
    return terms['head'] + terms['body'], gain


def on_end(origin, env, clock, note):
    """Return a function to call when the last byte of a redirected read was written.

    None if nothing was predicted of it. The read, with the environment `env` and the Origin
    `origin`, begins now; `clock()` returns monotonic seconds. The function calls `note(cluster,
    EndedRedirect)`.
    """
    if origin.served is None:
        return None
    begun, connection = clock(), socket_of(env.get('wsgi.input'))

    def at_end():
        left = 0.0 if connection is None else seconds_left(connection)
        error = clock() - begun + left - origin.served
        note(origin.cluster, EndedRedirect(
            origin.name, error, None if origin.gain is None else origin.gain - error))
    return at_end
