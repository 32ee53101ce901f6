"""The DNS daemon, which answers with the addresses of proxies.

It does not let eventlet make name look-ups green: for that, eventlet would import dnspython a
second time and leave modules of both copies behind, with different exception classes. The daemon
looks up at most one name, and not while it answers, so that the look-up may block.
"""
import os

os.environ.setdefault('EVENTLET_NO_GREENDNS', 'yes')
