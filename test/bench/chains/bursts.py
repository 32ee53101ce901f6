"""Bursts of requests for parts of images, from a site of the wide-area network.

Requests of a burst come as a Poisson process, each on a connection of its own, whether the last
ones are answered or not.
"""
import json
import sys
from random import Random

from support.wide_area import at

LIMIT = 60.0            # seconds: a request that is not answered then, or fails, counts as so many
MOST = 1000             # requests of a burst
SIDE, VIEW = 2048, 512  # pixels of an image, and of a view
EDGE = 32               # pixels
SMALL, WHOLE = 'small', 'whole'

CLIENT = '''
import json, sys, threading, time
from http.client import HTTPConnection, HTTPException
address, limit, requests = sys.argv[1], float(sys.argv[2]), json.load(sys.stdin)
results = [[limit, 0]] * len(requests)
def ask(number, path, begun):
    connection = HTTPConnection(address, timeout=limit)
    try:
        connection.request('GET', path)
        answer = connection.getresponse()
        body = answer.read()
        took = time.monotonic() - begun
        if answer.status == 200 and took < limit:
            results[number] = [took, 200]
        else:
            results[number] = [limit, f'{answer.status} {body[:200].decode(errors="replace")}']
    except (OSError, HTTPException):
        pass
    finally:
        connection.close()
begun, threads = time.monotonic(), []
for number, (due, path) in enumerate(requests):
    time.sleep(max(0.0, begun + due - time.monotonic()))
    thread = threading.Thread(target=ask, args=(number, path, begun + due), daemon=True)
    thread.start()
    threads.append((begun + due + limit, thread))
for until, thread in threads:
    thread.join(max(0.0, until - time.monotonic()))
print(json.dumps(results))
'''


def arrivals(rate, seconds, kinds, images, seed):
    """Return [(due, path below the container), ...] of a burst, `rate` requests a second.

    `kinds` are of SMALL and WHOLE, equally many of each; `images` are the names of the images.
    """
    rng, due, requests = Random(seed), 0.0, []
    while len(requests) < MOST:
        due += rng.expovariate(rate)
        if due >= seconds:
            break
        if len(requests) % len(kinds) == 0:
            order = rng.sample(kinds, len(kinds))
        requests.append((due, f'{rng.choice(images)}?{query_of(order.pop(), rng)}'))
    return requests


def query_of(kind, rng):
    """Return the query of a request of a kind, for a view anywhere in the image.

    A whole image lacks some pixels at its edge: of equal requests at once, only one is computed.
    """
    x, y = (rng.randrange(EDGE if kind == WHOLE else SIDE - VIEW) for _axis in range(2))
    width, height = (SIDE - x, SIDE - y) if kind == WHOLE else (VIEW, VIEW)
    return f'lb_region={x},{y},{width},{height}&lb_reduce=0'


def seconds_of(site, address, requests, container):
    """Send a burst from `site` to the proxy `address`, ip:port; return (seconds of each, failures).

    `container` is the path before each request's, `failures` is a list of statuses with sentences,
    0 for no answer.
    """
    last = requests[-1][0] if requests else 0.0
    rows = json.loads(at(
        site, sys.executable, '-c', CLIENT, address, str(LIMIT), timeout=last + LIMIT + 60,
        text=json.dumps([[due, f'{container}/{path}'] for due, path in requests])))
    return ([took for took, _status in rows],
            [status for _took, status in rows if status != 200])
