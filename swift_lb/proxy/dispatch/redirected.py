"""When does a read end that another cluster has redirected here? That cluster is told.

Its prediction began when it redirected the client. Here the seconds from the request until the
client has the last byte are known; the round trips before, by which the client came, are as
predicted. So

    error   = seconds from the request until the last byte - Origin.served
    gain    = Origin.gain - error
"""
from swift_lb.model import EndedRedirect
from swift_lb.proxy.dispatch.clients import seconds_left, socket_of


def predicted(chosen):
    """Return (`served`, `gain`) of the Origin of a read that is redirected by a ChosenRoute."""
    if chosen.cost is None:
        return None, None
    terms = dict(chosen.cost.terms)
    gain = None if chosen.is_try or chosen.here is None else chosen.here[1] - chosen.cost.seconds
    return terms['head'] + terms['body'], gain


def on_end(origin, env, clock, note):
    """Return a function to call when the last byte of a redirected read was written.

    The read with the environment `env` begins now, by `clock()`, seconds. `origin` is its Origin.
    `note(cluster, EndedRedirect)` is called; None is returned if nothing was predicted.
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
