"""The DNS daemon, which answers with the addresses of proxies.

If eventlet is allowed to make name look-ups green, it imports dnspython a second time and leaves
modules of both copies behind, with different exception classes. This daemon looks up one name at
most, and not while it answers.
"""
import os

os.environ.setdefault('EVENTLET_NO_GREENDNS', 'yes')
