"""Large and slow bodies through a hop, with Swift's own settings: memory and statuses.

    python test/bench/dispatcher_bodies.py [--gib 5] [--seconds 90] [--rate 1200]

5 minutes, and as many bytes in /dev/shm. A PUT and a GET of --gib through one proxy to another, and
by how much the peak of resident bytes of each has grown; then, all at the same time, a PUT with
Content-Length and one in chunks, both by clients that send --rate bytes a second for --seconds, and
a GET by a client that reads 1000 bytes a second. --rate cannot be less: Swift's proxies and object
servers read 64 KiB at once and wait 60 s for them: 1092 bytes a second are the least without a hop.

Exits with 1 if a proxy has grown by more than 20 MiB, or a slow client was not served.
"""
import argparse
import pathlib
import sys
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from support.dispatch_bodies import MIB, peaks, put_zeros, read_all, slow_get, slow_put
from support.dispatch_lab import two_proxies

from swift_lb.clock import monotonic

LIMIT = 20 * MIB    # of growth
READ = 1000         # bytes a second, of the client that reads


def main():
    """Print the figures; return 1 if a limit is exceeded."""
    args = arguments()
    proxies = two_proxies('bodies')
    try:
        proxies.put('/c')
        good = [large(proxies, int(args.gib * 1024) * MIB), slow(proxies, args.seconds, args.rate)]
    finally:
        proxies.lab.down()
    return 0 if all(good) else 1


def large(proxies, size):
    """PUT and GET `size` bytes; return whether no proxy's peak memory grew by more than LIMIT."""
    most = 0
    for word, ask in (('PUT', lambda: put_zeros(proxies, '/c/large', size).status == 201),
                      ('GET', lambda: read_all(proxies, '/c/large') == size)):
        began = monotonic()
        with peaks(proxies.lab) as grown:
            assert ask(), word
        took, most = monotonic() - began, max(most, *grown.values())
        print(f'{word} of {size / 1024 / MIB:.1f} GiB: {size / MIB / took:.0f} MiB/s; peak memory '
              + ', '.join(f'{name} {by / MIB:+.1f} MiB' for name, by in sorted(grown.items())))
    proxies.ask('DELETE', proxies.base + '/c/large')
    return most <= LIMIT


def slow(proxies, seconds, rate):
    """Return whether clients that send `rate` bytes a second, or read READ, were all served."""
    body = bytes(range(250)) * (seconds * rate // 250)
    read = body[:seconds * READ]
    proxies.put('/c/read', read)
    began = monotonic()
    with ThreadPoolExecutor() as clients:
        puts = [clients.submit(slow_put, proxies, f'/c/slow{chunked}', body, rate, chunked)
                for chunked in (False, True)]
        get = clients.submit(slow_get, proxies, '/c/read', len(read), READ)
        statuses, whole = [put.result().status for put in puts], get.result() == read
    print(f'in {monotonic() - began:.0f} s: PUT of {rate} bytes a second {statuses[0]}, in chunks '
          f'{statuses[1]}; GET of {READ} {"whole" if whole else "not whole"}')
    return statuses == [201, 201] and whole


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--gib', type=float, default=5.0)
    parser.add_argument('--seconds', type=int, default=90)
    parser.add_argument('--rate', type=int, default=1200)
    return parser.parse_args()


if __name__ == '__main__':
    sys.exit(main())
