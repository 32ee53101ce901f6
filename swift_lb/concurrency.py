"""The only file that names eventlet.

Swift is leaving it: since 2.38 its own imports are gathered in swift.common.concurrency, and what
replaces eventlet will be found there. Older Swift has no such module.
"""
try:
    from swift.common.concurrency import Semaphore, Timeout, listen, sleep, spawn, wsgi
except ImportError:
    from eventlet import Timeout, listen, sleep, spawn, wsgi
    from eventlet.semaphore import Semaphore

__all__ = ['Semaphore', 'Timeout', 'listen', 'sleep', 'spawn', 'wsgi']
