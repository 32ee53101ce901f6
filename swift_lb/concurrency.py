"""The only file that names eventlet.

Swift is leaving it: since 2.38 its own imports are gathered in swift.common.concurrency, and what
replaces eventlet will be found there. Older Swift has no such module.
"""
try:
    from swift.common.concurrency import Semaphore, Timeout, sleep, spawn
except ImportError:
    from eventlet import Timeout, sleep, spawn
    from eventlet.semaphore import Semaphore

__all__ = ['Semaphore', 'Timeout', 'sleep', 'spawn']
