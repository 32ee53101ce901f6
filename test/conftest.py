"""Settings of all tests: eventlet must not replace dnspython by its own patched copy.

That copy lacks functions of dns.query and has exception classes of its own; see
swift_lb/service/dns/__init__.py.
"""
import gc
import os

os.environ.setdefault('EVENTLET_NO_GREENDNS', 'yes')


def pytest_collection_finish():
    """Keep the garbage collector away from the collected tests: each full scan took 0.2 s more."""
    gc.freeze()
