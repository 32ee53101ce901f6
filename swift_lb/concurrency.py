"""The only file that names eventlet.

Swift is leaving it: since 2.38 its own imports are gathered in swift.common.concurrency, and what
replaces eventlet will be found there. Older Swift has no such module.
"""
try:
    from swift.common.concurrency import (
        Semaphore,
        Timeout,
        hubs,
        listen,
        patcher,
        sleep,
        spawn,
        wsgi,
    )
except ImportError:
    from eventlet import Timeout, hubs, listen, patcher, sleep, spawn, wsgi
    from eventlet.semaphore import Semaphore

__all__ = ['Semaphore', 'Timeout', 'listen', 'plain_epoll', 'plain_poll', 'plain_socket', 'sleep',
           'sleep_well', 'spawn', 'wsgi']

# A socket that nobody ever waits for need not be a green one, which takes twice as long.
plain_socket = patcher.original('socket').socket
# To look whether something has come, without waiting for it, is nothing to wait for either.
plain_poll = patcher.original('select').poll
# Nor need a process that waits for nothing but datagrams turn others' wheels meanwhile.
plain_epoll = patcher.original('select').epoll


def sleep_well():
    """Have sleep() cost nothing, in a process that does not fork from now on.

    Swift's daemons have eventlet's hub `poll`, which rounds down to milliseconds and then turns in
    circles for the rest of one: at 20 sleeps a second 1.5 % of a core. `epolls` rounds up.
    """
    hubs.use_hub('epolls')
