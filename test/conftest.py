"""Settings of all tests: eventlet must not replace dnspython by its own patched copy.

That copy lacks functions of dns.query and has exception classes of its own; see
swift_lb/service/dns/__init__.py.
"""
import os

os.environ.setdefault('EVENTLET_NO_GREENDNS', 'yes')
