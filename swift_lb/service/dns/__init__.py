"""The DNS daemon: which proxy new clients are told of, and by what.

eventlet, asked for green name look-ups, imports dnspython a second time and leaves modules of both
copies behind, whose exceptions and classes are not each other's. This daemon looks up one name at
most, and not while it answers.
"""
import os

os.environ.setdefault('EVENTLET_NO_GREENDNS', 'yes')
