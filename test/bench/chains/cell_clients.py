"""The clients of the cells: one that is measured, at each policy, and others that are the load.

They are in processes of their own, in the network of a site.
"""
import os
import random
import shutil
import threading
from collections import Counter
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from swift_lb.chains.chain import POINTS, Region, Task
from swift_lb.clock import monotonic, sleep
from swift_lb.console.image.asking import AwareClient, query_of
from swift_lb.console.image.server import ImageServer
from swift_lb.lab.wan import namespaces

SIDE, PART = 2048, 512      # pixels of an image, and of a part
OVERVIEW = 3                # halvings
CHOICE = ','.join(POINTS)   # the policy that leaves the choice to the server
POLICIES = [*POINTS, CHOICE]
LOADERS = 3                 # clients that are the load
WARM_UP = 2                 # requests of each policy that do not count
HOPELESS, PATIENCE = 1.5, 1.5   # a fixed point that has taken more than so many times the best
#                             one's seconds, and so many seconds on top, is asked no more


class CellRow(NamedTuple):
    """One part of an image, as one policy got it."""

    policy: str
    point: str
    seconds: float              # from the request until the client had the pixels
    own: float                  # of these, the client's work
    size: int                   # bytes of the answer
    predicted: dict             # point: [data, server, net, client] in seconds, by lb_why


class SlowClient(AwareClient):
    """An aware client whose machine takes `slowness` times as long for its work."""

    slowness = 1

    def work(self, function, *args):
        """Return function(*args), and sleep until the slower machine would have done that."""
        since = monotonic()
        result = function(*args)
        sleep((self.slowness - 1) * (monotonic() - since))
        return result


def parts(names, seed):
    """Yield (name of an image, a Task) for ever, at random."""
    rng = random.Random(seed)
    while True:
        x, y = (rng.randrange(SIDE - PART + 1) for _axis in 'xy')
        yield rng.choice(names), Task(Region(x, y, PART, PART))


class Clients:
    """The measured clients of a site, one for each policy, in a process of their own."""

    def __init__(self, site, url, names, folder):
        """Take the storage URL, names of images, and a folder, a Path, for the clients' caches."""
        self._pool = get_context('fork').Pool(1, namespaces.enter, (site,))
        self._url, self._names, self._folder = url, names, folder
        self._pool.apply(keep_overviews, (url, names, folder))

    def measured(self, cell, slowness, gap, seconds, rounds, seed):
        """Return the CellRows of the cell of this name, in rounds: a list of lists.

        `gap` is the mean seconds before a request, at random: so that no client finds the queue
        that the one before it has left.
        """
        return self._pool.apply(measured, (self._url, self._names, self._folder / cell, slowness,
                                           gap, seconds, rounds, seed))

    def end(self):
        """End the process."""
        self._pool.terminate()


def keep_overviews(url, names, folder):
    """Have the overviews of all images in the folder of a client's cache."""
    client = AwareClient(ImageServer(url, None), folder=folder)
    for name in names:
        client.get(name, Task(None, OVERVIEW))


def measured(url, names, folder, slowness, gap, seconds, rounds, seed):
    """Do the work of Clients.measured()."""
    servers, clients = [], {}
    for policy in POLICIES:
        own = Path(folder, policy)
        shutil.copytree(folder.parent / 'overviews', own / 'overviews')
        servers.append(ImageServer(url, None))
        clients[policy] = SlowClient(servers[-1], tuple(policy.split(',')), own)
        clients[policy].slowness = slowness
    wanted, results, total, end = parts(names, seed), [], Counter(), None
    for number in range(-WARM_UP, 1 << 30):
        if number == 0:
            end = monotonic() + seconds
        if number >= rounds and monotonic() >= end:
            break
        row = _round(clients, *next(wanted), gap, random.Random(f'{seed} {number}'))
        if number >= 0:
            results.append(row)
        total.update({one.policy: one.seconds for one in row})
        _drop(clients, total)
    for server in servers:
        server.close()
    return results


def _round(clients, name, task, gap, rng):
    """Return the CellRows of one part, which each of the clients gets, in random order."""
    points = clients[CHOICE].why(name, task)['points']
    predicted = {}
    for point in points:        # the least first, which is the form of D4 that is taken
        predicted.setdefault(point['point'], [
            point[term] for term in ('data', 'server', 'net', 'client')])
    rows = []
    for policy in rng.sample(list(clients), len(clients)):
        sleep(rng.uniform(0.0, 2 * gap))
        got = clients[policy].get(name, task)
        rows.append(CellRow(policy, got.point, got.network + got.own, got.own, got.size, predicted))
    return rows


def _drop(clients, total):
    """Remove the clients of points that have taken far more seconds than the best, by `total`."""
    best = min(total[policy] for policy in clients)
    for policy in POINTS:
        if policy in clients and total[policy] > HOPELESS * best + PATIENCE:
            del clients[policy]


class Load:
    """Clients that ask for pixels again and again, as a context.

    Each waits for a random time after an answer, so that no more than LOADERS requests wait.
    """

    def __init__(self, site, url, names, pause):
        """Take what Clients takes; `pause` is the mean seconds after an answer."""
        context = get_context('fork')
        self._pause = context.Value('d', pause)
        self._process = context.Process(
            target=_load, args=(site, url, names, self._pause), daemon=True)

    def __enter__(self):
        self._process.start()
        return self

    def __exit__(self, *_exc):
        self._process.kill()
        self._process.join()

    @property
    def pause(self):
        """The mean seconds after an answer."""
        return self._pause.value

    @pause.setter
    def pause(self, seconds):
        self._pause.value = seconds


def _load(site, url, names, pause):
    namespaces.enter(site)
    threads = [threading.Thread(target=_ask_for_ever, args=(url, names, pause, number),
                                daemon=True) for number in range(LOADERS)]
    for thread in threads:
        thread.start()
    parent = os.getppid()
    while os.getppid() == parent:
        sleep(1.0)


def _ask_for_ever(url, names, pause, seed):
    """Ask for pixels as a client without X-Lb-Client does."""
    server, rng = ImageServer(url, None), random.Random(seed)
    for name, task in parts(names, 1000 + seed):
        sleep(rng.expovariate(1 / pause.value))
        server.get(server.address(name, query_of(task)), {})
