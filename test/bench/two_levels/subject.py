"""A lab with a DNS service and an agent beside each proxy, whose clients copy objects."""
import contextlib
import json
import os
import signal

import dns.message
import dns.query
from bench.dispatchers.cluster import CONTAINER, ProxyLab
from bench.two_levels import clients
from bench.two_levels.clients import Name
from bench.two_levels.combinations import HALF
from support.load import Load, run

from swift_lb import instruction_file
from swift_lb.clock import monotonic, sleep
from swift_lb.lab.conf import NAME
from swift_lb.lab.lab import ACCOUNT, Lab
from swift_lb.lab.spec import LabSpec
from swift_lb.model import UP

TTL = 2                 # seconds, for the minute that is usual
OPTIONS = {'tau': 2 * TTL, 'ramp': TTL / 2}     # of agents; their defaults go with that minute
SIZE = 4096             # bytes of an object
COPIES = 500            # objects that are written, by chance: seldom one by two at the same time
READY_TIMEOUT = 60.0    # seconds until DNS gives all proxies the same
EVEN = 0.25             # by which fraction of an even one shares may differ then: agents let small
                        # differences stand (hysteresis)


class TwoLevelSubject(ProxyLab):
    """A lab with DNS services, agents, and clients that copy objects."""

    def __init__(self, lab):
        super().__init__(lab)
        self._objects(SIZE)
        self._quicken()

    def ask(self, scenario, combination, seconds, seed):
        """Let a LabScenario's clients COPY an object for `seconds`; return the LoadResult."""
        return self.done(lambda: self._copies(scenario, combination, seconds, seed))

    def _copies(self, scenario, combination, seconds, seed):
        """Return the LoadOutcome of ask()'s clients alone, without the proxies' counts."""
        source = self._objects(SIZE)[0].removeprefix(f'/v1/{ACCOUNT}')
        load = Load(self.proxies[:scenario.asked],
                    [f'{CONTAINER}/copy-{number}' for number in range(COPIES)],
                    self._headers | {'X-Copy-From': source, 'Content-Length': '0'}, seconds, 'PUT',
                    scenario.all_clients, seed=seed)
        if scenario.name == HALF:
            return run(load)
        name = Name(NAME, self.proxies[0][1], TTL,
                    self._lab.name_servers if combination.dns else [])
        return run(load, (clients.__file__, json.dumps(name._asdict())))

    def settle(self):
        """Wait until all proxies have about the same share of DNS by each agent's Instruction."""
        self._until(lambda: all(map(self._is_even, range(1, len(self.proxies) + 1))),
                    'agents do not give all proxies the same')

    def _is_even(self, number):
        path = self._lab.directory / 'run' / f'agent-{number}.json'
        result, _fault = instruction_file.read(path, monotonic())
        shares = [part.dns for part in result.nodes if part.state == UP] if result else []
        return (len(shares) == len(self.proxies)
                and max(shares) - min(shares) <= EVEN / len(shares))

    def _quicken(self):
        """Set a short TTL in the conf of the DNS services, and reload it."""
        for number, server in enumerate(self._lab.name_servers, 1):
            with open(self._lab.directory / 'etc' / f'dns-{number}.conf', 'a') as conf:
                conf.write(f'ttl = {TTL}\n')    # [lb-dns] is the last section
            os.kill(self._lab.processes[f'dns-{number}'].pid, signal.SIGHUP)
            self._until(lambda asked=server: ttl(*asked) == TTL, 'DNS does not take its TTL')

    def _until(self, holds, fault):
        deadline = monotonic() + READY_TIMEOUT
        while not holds():
            assert monotonic() < deadline, fault
            sleep(0.1)


def ttl(ip, port):
    """Return the TTL, in seconds, with which a DNS server answers NAME; None after 1 s."""
    with contextlib.suppress(dns.exception.Timeout):
        return dns.query.udp(dns.message.make_query(NAME, 'A'), ip, 1.0, port).answer[0].ttl
    return None


@contextlib.contextmanager
def subject(name, proxies):
    """Run a lab called `name` with this number of proxies; provide its TwoLevelSubject."""
    with Lab.up(LabSpec(name=name, nodes=1, replicas=1, proxies=proxies, dispatch=True, dns=True,
                        handicap_proxies=True, timeout=60.0, log_level='WARNING',
                        agent_options=OPTIONS)) as lab:
        yield TwoLevelSubject(lab)
