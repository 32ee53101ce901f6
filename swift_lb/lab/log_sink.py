"""Append what each server logs to a file of its own; run by path, without Swift: small.

    python log_sink.py RUN_DIRECTORY LOG_DIRECTORY NAME...

Reads RUN_DIRECTORY/NAME.log.sock (unix datagrams, as a syslog daemon would at /dev/log) and appends
to LOG_DIRECTORY/NAME.log, each line with its wall-clock time; ends at SIGTERM.
"""
import os
import re
import selectors
import socket
import sys
from datetime import datetime

PRIORITY = re.compile(rb'^<\d+>')
DATAGRAM_MAX = 65536


def listen(run, name):
    """Bind the socket of server `name` in directory `run`."""
    sink = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    sink.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    sink.setblocking(False)
    sink.bind(os.path.join(run, f'{name}.log.sock'))
    return sink


def line(datagram, now):
    """Return the line of a log file for one syslog `datagram` received at `now` (a datetime)."""
    text = PRIORITY.sub(b'', datagram.rstrip(b'\0\n')).replace(b'\n', b'#012')
    return now.time().isoformat('milliseconds').encode() + b' ' + text + b'\n'


def drain(sink, out):
    """Write all that waits in `sink` to the file descriptor `out`, in one write."""
    lines = []
    try:
        while len(lines) < 256:
            lines.append(line(sink.recv(DATAGRAM_MAX), datetime.now()))
    except BlockingIOError:
        pass
    if lines:
        os.write(out, b''.join(lines))


def main(run, logs, names):
    """Serve until killed."""
    ready = selectors.DefaultSelector()
    for name in names:
        out = os.open(os.path.join(logs, f'{name}.log'),
                      os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        ready.register(listen(run, name), selectors.EVENT_READ, out)
    while True:
        for key, _events in ready.select():
            drain(key.fileobj, key.data)


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
