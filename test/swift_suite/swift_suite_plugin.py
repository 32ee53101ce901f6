"""The pytest plug-in that is loaded into Swift's tests.

It writes the class of the proxy application that served into every test's junit entry, as proof of
what was tested. If SWIFT_SUITE_SUBSTITUTE names the module of an app factory, it first replaces
Swift's Application with that module's, so that Swift's unit tests run on it.

In a delegated run (delegation.py) it also writes how many requests of peers and of clients were
served since the test before.
"""

import gc
import importlib
import os

import pytest
from swift.proxy import server

from swift_suite import delegation

SWIFTS = server.Application
_seen = set()


def _only_application(module):
    """Return the module's only subclass of Swift's Application; LookupError if not just one."""
    applications = [thing for thing in vars(module).values()
                    if isinstance(thing, type) and issubclass(thing, SWIFTS)
                    and thing.__module__ == module.__name__]
    if len(applications) != 1:
        raise LookupError(
            f'{module.__name__} defines {len(applications)} proxy applications, not one')
    return applications[0]


if os.environ.get('SWIFT_SUITE_SUBSTITUTE'):
    server.Application = _only_application(
        importlib.import_module(os.environ['SWIFT_SUITE_SUBSTITUTE'])
    )


def _product(thing):
    """Return the dotted name of an application's class, or of its base if a test defines it."""
    cls = next(cls for cls in type(thing).__mro__ if not cls.__module__.startswith('test.'))
    return f'{cls.__module__}.{cls.__qualname__}'


def _alive():
    """Return the sorted names of application classes with instances; found once, then kept."""
    if not _seen:
        _seen.update(_product(thing) for thing in gc.get_objects() if isinstance(thing, SWIFTS))
    return sorted(_seen)


@pytest.fixture(autouse=True)
def _swift_suite_witness(record_property):
    yield
    for name in _alive():
        record_property('application', name)
    for sender in list(delegation.served):
        record_property(sender, delegation.served.pop(sender))


def pytest_configure():
    """Have the dispatcher delegate all requests, if this is a delegated run."""
    if os.environ.get(delegation.VARIABLE):
        delegation.delegate_all()
