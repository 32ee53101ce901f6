"""Number the workers of one proxy, so that each has gauges of its own."""
import os
import socket

MOST_WORKERS = 4096

_claims = []  # sockets that must stay open as long as the process lives


def worker_number():
    """Return the least number no other worker of this proxy holds.

    Swift gives its workers no number. A name in Linux's abstract socket space belongs to one
    process and is free again when it ends, however it ends: a respawned worker takes it over.
    """
    for number in range(MOST_WORKERS):
        try:
            claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        except OSError:
            break  # too many open files: no reason to fail the request that asks
        try:
            claim.bind(f'\0swift-lb-worker-{os.getppid()}-{number}')
        except OSError:
            claim.close()
        else:
            _claims.append(claim)
            return number
    return os.getpid()
