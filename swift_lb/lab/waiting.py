"""What waits at the handicap of a proxy counts as a request that its host has.

Our app counts requests from when they come to it, for the agent of the host to see. A handicap
stands for work that a proxy has with a request, but comes before the app. An agent that did not see
what waits there would take the slowest proxy for the idlest.
"""
import contextlib

from swift_lb.clock import monotonic

TIMED = ('GET', 'HEAD')     # whose answers are timed, see proxy/requests.py


@contextlib.contextmanager
def counted(app, method):
    """Have a request with `method` in flight in `app`, the proxy's, until it goes on to that.

    Any app but ours counts nothing, and None is an app that does not.
    """
    counts = _counts_of(app)
    if counts is None:
        yield
        return
    began = monotonic()
    _add(counts, 1, 0.0)
    waited = 0.0
    try:
        yield
        waited = monotonic() - began if method in TIMED else 0.0
    finally:
        _add(counts, -1, waited)


def _counts_of(app):
    """Return load/request_table.py's RequestCounts of this process, None where there are none."""
    book = getattr(app, 'host_book', None)
    if book is None:
        return None
    app.begin()
    return book.requests


def _add(counts, requests, seconds):
    """Add without counting a request as begun or answered: the app will, when it has it."""
    counts.in_flight += requests
    counts.seconds += seconds
    counts.publish()
