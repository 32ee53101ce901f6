"""Two clusters of which one is slow, so that its reads leave, and clients that read all the time.

The container is immutable and in both clusters; its object has other bytes in each, so that every
answer shows which of the two has served it.
"""
import math
import os
import signal
import threading
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import NamedTuple
from unittest import mock
from urllib.parse import urlsplit

from support.cluster import SwiftCluster, eventually
from support.running import running
from support.wide_area import sites_with_labs
from swift_lb.clock import monotonic, sleep
from swift_lb.lab.spec import LabSpec

HERE, THERE = 'ksu', 'ucsb'
RTT = 0.04          # seconds
FILE = '[link ksu ucsb]\nrtt = 40ms\nrate = 20M\n'
SLOW = 0.3          # seconds of each read by a storage node of HERE: between a fetch and a late one
PROXIES = 2         # of each cluster
CLIENTS, PAUSE = 4, 0.02    # readers, and seconds between two reads of one
FEW = 5 * CLIENTS   # answers which show where reads go
TRIES = 1           # of these, at home: one in 200 tries the other way
NOT_WARM = 5        # away: without an idle connection the way is hardly better
SIZE = 20_000
PAGE_KEY = 'the key of the pages of agents'
STEPPED = Path(__file__).parent / 'stepped_clock'


class SeenRead(NamedTuple):
    """One GET of a reader; instants are monotonic seconds."""

    begun: float
    ended: float
    server: str | None      # the cluster that has served it, None if it has failed
    fault: str | None


class FaultyClusters:
    """The Labs of HERE and THERE, and readers in threads: CLIENTS of HERE, and one of THERE."""

    def __init__(self, labs):
        self.labs, self.reads = labs, []
        self._over = threading.Event()

    @contextmanager
    def running(self):
        """Let the readers read inside of the `with`."""
        threads = [threading.Thread(target=self._run, args=arguments) for arguments in [
            *((HERE, number, self.reads) for number in range(CLIENTS)), (THERE, 0, [])]]
        with running(threads, self._over):
            yield self

    def _run(self, site, number, reads):
        while not self._over.is_set():
            number += 1
            reads.append(read(self.labs[site], number % PROXIES))
            sleep(PAUSE)

    def seconds_until(self, server, patience=60.0):
        """Return the seconds until reads are served by `server` from now on.

        They are those until the end of the first of FEW such reads, all of which have begun later;
        infinite if it takes longer than `patience`.
        """
        since = monotonic()
        reads = eventually(lambda: self._served_by(server, since), patience)
        return reads[0].ended - since if reads else math.inf

    def _served_by(self, server, since):
        """Return the last FEW reads that began after `since`, [] unless `server` served them."""
        last = [one for one in self.reads if one.begun >= since][-FEW:]
        others = sum(one.server != server for one in last)
        most = TRIES if server == HERE else NOT_WARM
        return last if len(last) == FEW and others <= most else []

    def failures(self, since=0.0):
        """Return the SeenReads that began after `since` and have failed."""
        return [one for one in self.reads if one.fault and one.begun > since]


def read(lab, proxy):
    """Read the object by way of a proxy of `lab`, numbered from 0; return the SeenRead."""
    begun, url = monotonic(), urlsplit(lab.endpoints[proxy])
    server = fault = None
    connection = HTTPConnection(url.netloc, timeout=60)
    try:
        connection.request('GET', urlsplit(lab.storage_url()).path + '/c/o')
        answer = connection.getresponse()
        status, body = answer.status, answer.read()
        server = next((site for site in (HERE, THERE) if body == body_of(site)), None)
        fault = None if server and status == 200 else f'status {status}, {len(body)} bytes'
    except (OSError, HTTPException) as err:
        fault = repr(err)
    finally:
        connection.close()
    return SeenRead(begun, monotonic(), server, fault)


def body_of(site):
    """Return the bytes of the object in the cluster of `site`."""
    return site.encode().ljust(SIZE, b'.')


def set_clocks(lab, wrong):
    """Let the time of day of all servers of `lab` be wrong by so many seconds from now on."""
    new = lab.directory / 'clock.new'
    new.write_text(str(wrong))
    new.replace(lab.directory / 'clock')


@contextmanager
def faulty_clusters(**options):
    """Provide FaultyClusters that are read; `options` are more options of [lb-cluster]."""
    specs = [LabSpec(name=f'faults-{site}', site=site, nodes=1, replicas=1, proxies=PROXIES,
                     dispatch=True, agent_options={'http_key': PAGE_KEY}) for site in (HERE, THERE)]
    paths = f'{STEPPED}:{os.environ.get("PYTHONPATH", "")}'
    with mock.patch.dict(os.environ, PYTHONPATH=paths), sites_with_labs(FILE, specs) as labs:
        for site, lab in labs.items():
            change(lab, **options)
            cluster = SwiftCluster(lab)
            cluster.put('/c', X_Container_Read='.r:*', X_Container_Meta_Lb_Clusters='ksu, ucsb',
                        X_Container_Meta_Lb_Immutable='true')
            cluster.put('/c/o', body_of(site))
        labs[HERE].handicap(node=1, mean=SLOW, dist='constant', slots=20, methods='GET')
        with FaultyClusters(labs).running() as clusters:
            yield clusters


def change(lab, **options):
    """Change options of [lb-cluster], the last section of each agent's conf, and have it read.

    An option with the value None is taken out.
    """
    for number in range(1, PROXIES + 1):
        path = lab.directory / 'etc' / f'agent-{number}.conf'
        before, section, rest = path.read_text().partition('[lb-cluster]\n')
        lines = [line for line in rest.splitlines() if line.partition(' =')[0] not in options]
        lines += [f'{name} = {value}' for name, value in options.items() if value is not None]
        other = path.with_suffix('.new')
        other.write_text(before + section + '\n'.join(lines) + '\n')
        other.replace(path)
        os.kill(lab.processes[f'agent-{number}'].pid, signal.SIGHUP)
