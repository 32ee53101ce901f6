"""A flood of questions, from addresses that are not the sender's own; run as a program.

    python -m support.flood IP PORT NAME RATE SECONDS SOURCE [SOURCE ...]

Any process may send from each address of loopback, as a forger does. Prints a
line when it begins, and the questions sent per second after SECONDS or at SIGTERM.
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
    """Return a Popen of this program, which has begun; it prints the questions per second."""
    begun = subprocess.Popen(
        [sys.executable, '-W', 'ignore', __file__, ip, str(port), name, str(rate), str(seconds),
         *sources], stdout=subprocess.PIPE, text=True, env=os.environ)
    begun.stdout.readline()
    return begun


def main():
    """Send questions at RATE per second, evenly spread."""
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
