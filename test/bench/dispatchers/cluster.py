"""The ProxyLab: a lab of proxies with objects, which benches configure, load and read counts of."""
import contextlib
import http.client
import json
import math
import os
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from bench.dispatchers.scenarios import LIGHT, TURNS
from support.load import Load, run

from swift_lb.clock import monotonic, sleep
from swift_lb.lab import process
from swift_lb.lab.lab import ACCOUNT, Lab
from swift_lb.lab.spec import LabSpec

CONTAINER, OBJECTS = f'/v1/{ACCOUNT}/dispatchers', 40
POLICY = 'filter:lb_dispatcher:policy'
# Long timeouts for memcached: a proxy that gives it up can check no token, and answers 401.
PATIENT = {f'filter:cache:{name}': '10'
           for name in ('connect_timeout', 'io_timeout', 'pool_timeout')}
READY_TIMEOUT = 60.0    # seconds until all dispatchers know all proxies
DELEGATED = 'delegated'
FAULTS = 'delegation_failures', 'hops_refused', 'shed', 'fallbacks'


class LoadResult(NamedTuple):
    seen: object            # LoadOutcome
    requests: int           # that clients sent
    shares: list            # of the requests, that each proxy has served
    delegated: int          # answers of peers
    cpu: float              # seconds that proxies have used
    faults: dict            # what went wrong, or was refused, as the dispatchers have counted it

    @property
    def troubles(self):
        """The counts of clients' failures and dispatchers' faults, as '; 3 hops_refused', or ''."""
        return ''.join(f'; {count} {what}'
                       for what, count in {**self.seen.reasons, **self.faults}.items())


class ProxyLab:
    """A lab of proxies with objects: it can be configured and loaded, and its counts read."""

    def __init__(self, lab):
        self._lab, self._policy = lab, None
        urls = map(urlsplit, lab.endpoints)
        self.proxies = [(url.hostname, url.port) for url in urls]
        token = lab.token()
        self._headers = {'X-Auth-Token': token} if token else {}
        self._targets = {}      # size -> paths of objects
        self._store(self.proxies[0], 'PUT', [CONTAINER], b'')

    def store(self, sizes):
        """Write OBJECTS objects of each size, in bytes; before proxies have a handicap."""
        for size in sizes:
            self._objects(size)

    def _objects(self, size):
        if size not in self._targets:
            paths = [f'{CONTAINER}/{size}-{number}' for number in range(OBJECTS)]
            self._store(self.proxies[0], 'PUT', paths, b'x' * size)
            self._targets[size] = paths
        return self._targets[size]

    def use(self, policy):
        """Restart the proxies with dispatchers of `policy`; None: without dispatchers."""
        options = {POLICY: policy} if policy else {}
        self._lab.restart_proxies(options | PATIENT, dispatch=policy is not None)
        self._policy = policy
        if policy is not None:
            self._wait()
        for proxy in self.proxies:      # caches such as the account's are filled
            self._store(proxy, 'GET', self._objects(1)[:3], None)

    def handicap(self, scenario, seed):
        """Give the proxies the LabScenario's slots and mean times; a seed draws the same times."""
        self._lab.handicap(clear=True)
        for number in range(1, len(self.proxies) + 1):
            if scenario.means:
                self._lab.handicap(proxy=number, seed=seed, slots=scenario.slots,
                                   mean=scenario.means[number - 1], dist=scenario.dist)

    def load(self, scenario, balancer, seconds, seed):
        """Put a LabScenario's load on the proxies for `seconds`; return the LoadResult."""
        with balancer.addresses(self.proxies[:scenario.asked]) as addresses:
            load = Load(addresses, self._objects(scenario.size), self._headers, seconds,
                        'HEAD' if scenario.load == LIGHT else 'GET',
                        scenario.all_clients, scenario.rate, scenario.load == TURNS, seed,
                        scenario.thinks, scenario.client_timeout)
            return self.done(lambda: run(load))

    def done(self, clients):
        """Call `clients()`, which returns a LoadOutcome; return the LoadResult of its duration."""
        before, counts, used = self._served(), self._counts(), self._cpu()
        seen = clients()
        used = self._cpu() - used
        counts = {name: count - counts.get(name, 0) for name, count in self._counts().items()}
        requests = len(seen.answers) + len(seen.failures)
        served = [after - before for after, before in zip(self._served(), before, strict=True)]
        delegated = sum(count for name, count in counts.items() if name.split()[0] == DELEGATED)
        return LoadResult(seen, requests, [one / max(1, sum(served)) for one in served], delegated,
                          used, {name: count for name, count in counts.items()
                                 if count and name.split()[0] in FAULTS})

    def _cpu(self):
        proxies = [self._lab.processes[f'proxy-{number}']
                   for number in range(1, len(self.proxies) + 1)]
        return math.fsum(map(cpu, process.members(self._lab.directory, proxies)))

    def _served(self):
        result = self._lab.served_by_proxies()
        return [result[number]['served'] for number in sorted(result)]

    def logs(self):
        """Return [Path of a proxy's log file], in the order of `proxies`."""
        return [self._lab.log(f'proxy-{number}') for number in range(1, len(self.proxies) + 1)]

    def pages(self):
        """Return [document of /lb/dispatch of each proxy]; [] without dispatchers."""
        if self._policy is None:
            return []
        return [json.loads(ask(proxy, 'GET', '/lb/dispatch')) for proxy in self.proxies]

    def _counts(self):
        results = {}
        for page in self.pages():
            for name, count in page['counts'].items():
                results[name] = results.get(name, 0) + count
        return results

    def _wait(self):
        deadline = monotonic() + READY_TIMEOUT
        while not all(self._is_known(page) for page in self.pages()):
            assert monotonic() < deadline, f'dispatchers do not know all proxies: {self.pages()}'
            sleep(0.2)

    def _is_known(self, page):
        states = [backend['state'] for backend in page['backends']]
        return page['fault'] is None and states == ['up'] * len(self.proxies)

    def _store(self, proxy, method, targets, body):
        for target in targets:
            ask(proxy, method, target, body, self._headers)


def ask(proxy, method, target, body=None, headers=None):
    """Send one request to `proxy`, (ip, port); return the body. AssertionError if not 2xx."""
    with contextlib.closing(http.client.HTTPConnection(*proxy, timeout=20)) as connection:
        connection.request(method, target, body, headers or {})
        answer = connection.getresponse()
        result = answer.read()
        assert answer.status // 100 == 2, (proxy, method, target, answer.status, result[:200])
        return result


def cpu(pid):
    """Return the CPU time of the process `pid`, in seconds."""
    fields = Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


@contextlib.contextmanager
def cluster(name, proxies, **spec):
    """Run a lab with this number of proxies, and other fields of LabSpec; provide its ProxyLab."""
    with Lab.up(LabSpec(name=name, nodes=1, replicas=1, proxies=proxies, dispatch=True,
                        handicap_proxies=True, timeout=60.0,
                        **{'log_level': 'WARNING', **spec})) as lab:
        yield ProxyLab(lab)
