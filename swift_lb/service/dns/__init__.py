"""The DNS daemon, which answers with the addresses of proxies.

If eventlet is allowed to make name look-ups green, it imports dnspython a second time and leaves
modules of both copies behind, with different exception classes. This daemon does not need that: it
looks up at most one name, and not while it answers.
"""
import os

os.environ.setdefault('EVENTLET_NO_GREENDNS', 'yes')
