"""Records round trips and bandwidths of a link with other traffic, for test/bench/forecasts.py.

    python test/bench/clusters record [--samples N] [FILE]

A link of 80 ms and 20 Mbit/s between two sites, without labs. Each half second a client in ksu
measures a round trip, and then the rate of the second half of a body of 200 kB from ucsb, as
proxies do. Other clients read bodies of 1 MB now and then, and other traffic takes 0, 30 or 60 % of
the rate, another part every 20 samples; both by a random seed. Writes FILE, by default the one that
the benches read: milliseconds and kilobytes per second, in their order.
"""
import argparse
import json
import random
import socket
import threading
from pathlib import Path

from support.forecast_series import RECORDED
from support.interfaces import changing
from support.wide_area import exclusive

from swift_lb.clock import monotonic, sleep
from swift_lb.lab.wan import namespaces, sites, wan

LINK = '[link ksu ucsb]\nrtt = 80ms\nrate = 20M\n'
SERVER = ('198.18.2.1', 9000)
BODY, OTHER_BODY = 200_000, 1_000_000       # bytes
OTHERS, BUSY, BUSY_FOR = 3, (0.0, 0.3, 0.6), 20     # clients; fractions; samples
PERIOD, IDLE = 0.5, 6.0             # seconds: of a sample; the mean between two other bodies
SEED = 1


def inside(site, work, *args):
    """Run `work(*args)` in a thread in the network of `site`; return the thread."""
    def run():
        namespaces.enter(site)
        work(*args)
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


def serve(ready):
    """Accept connections for ever, each of which answer() serves; set the Event `ready` before."""
    listener = socket.create_server(SERVER)
    ready.set()
    while True:
        connection, _peer = listener.accept()
        inside('ucsb', answer, connection)


def answer(connection):
    """Answer each eight digits on a connection by that number of bytes, until it is closed."""
    while len(asked := connection.recv(8, socket.MSG_WAITALL)) == 8:
        connection.sendall(bytes(int(asked)))


def read(connection, size):
    """Read `size` bytes; return (seconds of all, bytes per second of the second half)."""
    asked, got, middle = monotonic(), 0, None
    connection.sendall(b'%08d' % size)
    while got < size:
        got += len(connection.recv(65536))
        if middle is None and 2 * got >= size:
            middle, before = monotonic(), got
    end = monotonic()
    return end - asked, (size - before) / max(end - middle, 1e-6)


def disturb(rng, over):
    """Read other bodies, one after a random pause, until `over` is set."""
    with socket.create_connection(SERVER) as connection:
        while not over.wait(rng.expovariate(1 / IDLE)):
            read(connection, OTHER_BODY)


def measure(count, rows):
    """Append (seconds of a round trip, bytes per second) of `count` samples to `rows`."""
    rng = random.Random(SEED)
    with socket.create_connection(SERVER) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for number in range(count):
            begun = monotonic()
            if number % BUSY_FOR == 0:
                wan.change([f'busy={rng.choice(BUSY)}'])
            rows.append((read(connection, 1)[0], read(connection, BODY)[1]))
            sleep(max(0.0, begun + PERIOD - monotonic()))


def main(words):
    """Record and write; return the exit status."""
    parser = argparse.ArgumentParser(prog='record')
    parser.add_argument('--samples', type=int, default=240)
    parser.add_argument('file', nargs='?', type=Path, default=RECORDED)
    args = parser.parse_args(words)
    rows, ready, over = [], threading.Event(), threading.Event()
    with exclusive():
        with changing():
            wan.up(sites.parse(LINK, 'record'))
        try:
            inside('ucsb', serve, ready)
            ready.wait()
            others = [inside('ksu', disturb, random.Random(SEED + number), over)
                      for number in range(1, OTHERS + 1)]
            inside('ksu', measure, args.samples, rows).join()
            over.set()
            for other in others:
                other.join()
        finally:
            with changing():
                wan.down()
    args.file.write_text(json.dumps({
        'recorded by': 'python test/bench/clusters record',
        'round trip, ms': [round(1000 * rtt, 1) for rtt, _rate in rows],
        'bandwidth, kB/s': [round(rate / 1000) for _rtt, rate in rows]}, indent=None) + '\n')
    print(f'{len(rows)} samples of each in {args.file}')
    return 0
