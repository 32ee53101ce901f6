"""Settings of all tests: eventlet must not replace dnspython by its own patched copy.

That copy lacks functions of dns.query and has exception classes of its own; see
swift_lb/service/dns/__init__.py.
"""
import gc
import os

os.environ.setdefault('EVENTLET_NO_GREENDNS', 'yes')


def pytest_addoption(parser):
    """Add the option `--part`, by which ./tools/test divides the tests among Pythons."""
    parser.addoption('--part', default='1/1', metavar='N/OF',
                     help='run each OF-th test, from the N-th on: some of each file')


def pytest_collection_modifyitems(config, items):
    """Keep the tests of `--part`."""
    first, step = map(int, config.getoption('part').split('/'))
    items[:] = items[first - 1::step]


def pytest_collection_finish():
    """Keep the garbage collector away from the collected tests: each full scan took 0.2 s more."""
    gc.freeze()
