"""A small program that writes the syslog datagrams of each server of a lab to a log file.

    python log_sink.py IP LOG_DIRECTORY NAME=PORT...

It appends what arrives at IP:PORT to LOG_DIRECTORY/NAME.log, each line with its wall-clock time,
until SIGTERM. The file exists as soon as the port is open. Logs come by UDP, not by a unix socket:
Swift's proxy-logging passes log_udp_host on to its access log, but not log_address, and no server
ever waits for a slow sink. The file is run by its path and imports no Swift, so it starts fast.
"""
import os
import re
import selectors
import socket
import sys

PRIORITY = re.compile(rb'^<\d+>')
DATAGRAM_MAX = 65536


def listen(ip, port):
    """Return a non-blocking UDP socket, with a receive buffer of 1 MiB, bound to `ip`:`port`."""
    sink = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sink.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    sink.setblocking(False)
    sink.bind((ip, port))
    return sink


def line(datagram, now):
    """Return the log line, bytes, for one syslog `datagram` received at `now`, a datetime."""
    text = PRIORITY.sub(b'', datagram.rstrip(b'\0\n')).replace(b'\n', b'#012')
    return now.time().isoformat('milliseconds').encode() + b' ' + text + b'\n'


def drain(sink, out, now):
    """Write up to 256 datagrams that wait in socket `sink` to the file descriptor `out`.

    `now()` returns the datetime that is put before each line.
    """
    lines = []
    try:
        while len(lines) < 256:
            lines.append(line(sink.recv(DATAGRAM_MAX), now()))
    except BlockingIOError:
        pass
    if lines:
        os.write(out, b''.join(lines))


def main(ip, logs, targets, now):
    """Append datagrams to files in the directory `logs` until SIGTERM.

    Those to port PORT of `ip` go to NAME.log, for each NAME=PORT of `targets`; `now()` returns the
    datetime that is put before each.
    """
    ready = selectors.DefaultSelector()
    for target in targets:
        name, _equals, port = target.partition('=')
        sink = listen(ip, int(port))
        out = os.open(os.path.join(logs, f'{name}.log'),
                      os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        ready.register(sink, selectors.EVENT_READ, out)
    while True:
        for key, _events in ready.select():
            drain(key.fileobj, key.data, now)


if __name__ == '__main__':
    sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..'))
    from swift_lb.clock import local_time  # after sys.path is set: this file is run by its path
    main(sys.argv[1], sys.argv[2], sys.argv[3:], local_time)
