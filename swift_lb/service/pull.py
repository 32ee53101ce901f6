"""Cygnus' other way: ask a node for its report, instead of being told."""
from http.client import HTTPConnection, HTTPException

from swift_lb.wire.node_report import MOST


def report(ip, port, key, timeout):
    """Return the signed report of the agent whose HTTP is at (ip, port), None if it gives none."""
    connection = HTTPConnection(ip, port, timeout=timeout)
    try:
        connection.request('GET', '/v1/report', headers={'X-Lb-Key': key.encode()} if key else {})
        answer = connection.getresponse()
        datagram = answer.read(MOST + 1)
        return datagram if answer.status == 200 else None
    except (OSError, HTTPException):
        return None
    finally:
        connection.close()
