"""A flood of DNS queries by UDP, from forged addresses; run as a program.

    python -m support.flood IP PORT NAME RATE SECONDS SOURCE [SOURCE ...]

It asks IP:PORT for the A records of NAME, RATE times a second in all; each SOURCE, an address of
loopback, sends in turn. It prints a line when it begins, and its queries per second when it ends.
"""
import itertools
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import contextlib

import dns.message

from swift_lb.clock import monotonic, sleep

AT_ONCE = 0.005     # seconds between two bursts


def flood(ip, port, name, rate, seconds, sources):
    """Start this program, wait until it has begun, and return its Popen, whose output is text."""
    begun = subprocess.Popen(
        [sys.executable, '-W', 'ignore', __file__, ip, str(port), name, str(rate), str(seconds),
         *sources], stdout=subprocess.PIPE, text=True, env=os.environ)
    begun.stdout.readline()
    return begun


def main():
    """Send RATE queries a second, evenly spread, for SECONDS or until SIGTERM."""
    ip, port, name, rate, seconds, *sources = sys.argv[1:]
    rate, began, sent = float(rate), monotonic(), 0
    sockets = itertools.cycle([sender(source, ip, int(port)) for source in sources])
    queries = [dns.message.make_query(name, 'A').to_wire() for _number in range(256)]
    rng = random.Random(1)
    signal.signal(signal.SIGTERM, lambda *_args: sys.exit())
    print('begins', flush=True)
    try:
        while (passed := monotonic() - began) < float(seconds):
            for one in itertools.islice(sockets, max(0, int(passed * rate) - sent)):
                with contextlib.suppress(BlockingIOError, ConnectionRefusedError):
                    one.send(rng.choice(queries))
                sent += 1
            sleep(AT_ONCE)
    finally:
        print(sent / (monotonic() - began))


def sender(source, ip, port):
    """Return a UDP socket that sends from `source` to (ip, port)."""
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.bind((source, 0))
    made.connect((ip, port))
    made.setblocking(False)
    return made


if __name__ == '__main__':
    main()
