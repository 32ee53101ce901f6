"""Tests change network interfaces only while no browser of another test loads a page.

Chromium ends all requests with ERR_NETWORK_CHANGED once an interface or an address appears or
goes, and files of tests run at the same time.
"""
import contextlib
import fcntl
import os
import tempfile

LOCK = os.path.join(tempfile.gettempdir(), f'swift-lb-interfaces-{os.getuid()}')


@contextlib.contextmanager
def unchanging():
    """A context in which no other test changes interfaces; waits until it may begin."""
    with open(LOCK, 'w') as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        yield


@contextlib.contextmanager
def changing():
    """A context in which tests may change interfaces; waits until no test needs them unchanged."""
    with open(LOCK, 'w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
