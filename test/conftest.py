"""For all tests: one copy of dnspython in a process, not eventlet's second one beside it.

Its dns.query has other functions in it, and its exceptions are not ours: service/dns/__init__.py.
"""
import os

os.environ.setdefault('EVENTLET_NO_GREENDNS', 'yes')
