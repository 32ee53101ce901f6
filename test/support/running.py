"""Threads that run for as long as a test needs them."""
from contextlib import contextmanager


@contextmanager
def running(threads, over):
    """A context in which `threads` run; at its end the Event `over` is set, for which each ends."""
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()
