"""The only file that names eventlet.

Swift is leaving eventlet: since 2.38 it imports eventlet in swift.common.concurrency only, and what
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
        spawn_n,
        wsgi,
    )
except ImportError:
    from eventlet import Timeout, hubs, listen, patcher, sleep, spawn, spawn_n, wsgi
    from eventlet.semaphore import Semaphore

__all__ = ['Semaphore', 'Timeout', 'is_readable', 'listen', 'plain_epoll', 'plain_poll',
           'plain_socket', 'plain_ssl', 'sleep', 'spawn', 'spawn_n', 'use_precise_hub',
           'wait_readable', 'wsgi']

# For sockets that are never waited for: a green socket takes twice as long for each call.
plain_socket = patcher.original('socket').socket
# For polls with a timeout of 0, which do not wait.
plain_poll = patcher.original('select').poll
# For a process that only handles datagrams: it has no other greenthread, so its waits may block.
plain_epoll = patcher.original('select').epoll
# For TLS in memory, without sockets.
plain_ssl = patcher.original('ssl')


def wait_readable(sock):
    """Return when `sock`, a plain socket, has data to read; other greenthreads run meanwhile."""
    hubs.trampoline(sock, read=True)


def is_readable(sock):
    """Return, without waiting, whether a socket has unread data or its peer has closed it."""
    poll = plain_poll()
    poll.register(sock.fileno(), 1)     # POLLIN
    return bool(poll.poll(0))


def use_precise_hub():
    """Select eventlet's hub `epolls`: its sleep() uses no processor time; never fork afterwards.

    Swift's daemons have eventlet's hub `poll`, which rounds a timeout down to milliseconds and then
    polls without a pause for the rest of the last millisecond: at 20 sleeps a second 1.5 % of a
    core. `epolls` rounds up.
    """
    hubs.use_hub('epolls')
