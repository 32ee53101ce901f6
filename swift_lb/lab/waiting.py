"""Count requests that wait at a proxy's handicap as requests in flight of its host.

swift-lb's app counts requests when they reach it, for the host's agent. A handicap stands for work
of the proxy, but delays requests before the app. An agent that did not count the delayed ones would
report the slowest proxy as the idlest.
"""
import contextlib

from swift_lb.clock import monotonic

TIMED = ('GET', 'HEAD')     # methods whose response times are measured, see proxy/requests.py


@contextlib.contextmanager
def counted(app, method):
    """Count a request with `method` as in flight in `app`, the proxy's, until it reaches the app.

    Does nothing if `app` is None or not swift-lb's.
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
    """Return the RequestCounts (load/request_table.py) of this process, None if there are none."""
    book = getattr(app, 'host_book', None)
    if book is None:
        return None
    app.begin()
    return book.requests


def _add(counts, requests, seconds):
    """Add to the counts without counting a request as begun or answered: the app does that later.
    """
    counts.in_flight += requests
    counts.seconds += seconds
    counts.publish()
