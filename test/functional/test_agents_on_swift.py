"""Agents beside the proxies of a real Swift: they report the load of the proxies."""
import contextlib
import json
import os
import re
import signal
import threading
import urllib.request

import pytest
from support.cluster import SwiftCluster, eventually

from swift_lb.clock import monotonic
from swift_lb.instruction_file import InstructionFile
from swift_lb.lab.lab import Lab
from swift_lb.lab.spec import LabSpec
from swift_lb.model import CRITICAL
from swift_lb.version import version

READERS = 12


@pytest.fixture(scope='module')
def cluster():
    """A SwiftCluster of two proxies, an agent beside each, and the object /c/o of 4096 bytes."""
    with Lab.up(LabSpec(name=f'agents-{os.getpid()}', proxies=2, agents=True)) as lab:
        cluster = SwiftCluster(lab)
        cluster.put('/c')
        cluster.put('/c/o', b'x' * 4096)
        yield cluster


def slow_down(lab, mean):
    """Let each request to a storage node take `mean`, such as '200ms'."""
    for node in range(1, lab.spec.nodes + 1):
        lab.handicap(node=node, mean=mean, slots=32, dist='constant')


def page(lab, agent=0):
    """Return the document /v1/cluster of the agent with this index, from 0."""
    with urllib.request.urlopen(lab.agents[agent] + '/v1/cluster', timeout=60) as answer:
        return json.load(answer)


def document(lab):
    """Return {node: its entry, a dict} of the first agent's document /v1/cluster."""
    return {node['node']: node for node in page(lab)['nodes']}


def get(url, token, done):
    """GET the object at `url`, with this X-Auth-Token, repeatedly until the Event `done` is set."""
    while not done.is_set():
        with contextlib.suppress(OSError), urllib.request.urlopen(urllib.request.Request(
                url, headers={'X-Auth-Token': token or ''}), timeout=60) as answer:
            answer.read()


@contextlib.contextmanager
def reading(lab, proxy, readers):
    """Let this number of clients read from the proxy with index `proxy` in the context."""
    url = lab.endpoints[proxy] + '/v1/AUTH_test/c/o'
    done, token = threading.Event(), lab.token()
    threads = [threading.Thread(target=get, args=(url, token, done)) for _number in range(readers)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        done.set()
        for thread in threads:
            thread.join()


def test_agents_measure_the_load_of_the_proxies_beside_them(cluster):
    lab = cluster.lab
    slow_down(lab, '200ms')

    def is_measured():
        first, second = (document(lab)[f'proxy-{number}'] for number in (1, 2))
        return first if (
            {'response_time', 'requests'} <= first['metrics'].keys() & second['metrics'].keys()
            and first['metrics']['response_time'] > 0.15 and first['metrics']['requests'] > 1
            and first['metrics']['in_flight'] > max(2, second['metrics']['in_flight'])
            and first['load'] > second['load']) else None
    with reading(lab, 0, 4), reading(lab, 1, 1):
        first = eventually(is_measured)
    assert first, document(lab)
    assert first['proxy'] == lab.endpoints[0].removeprefix('http://')
    started = f'swift-lb-agent {version()}: node proxy-1, reports by UDP at '
    assert 1 == lab.log('agent-1').read_text().count(started)


def test_a_killed_proxy_has_no_share_of_dns(cluster):
    lab = cluster.lab
    assert document(lab)['proxy-2']['state'] == 'up'
    lab.stop_proxy(2)
    assert eventually(lambda: document(lab)['proxy-2']['dns'] == 0)
    assert document(lab)['proxy-2']['state'] == 'disabled'
    assert 'does not answer' in page(lab, 1)['faults'][0]
    lab.start_proxy(2)
    assert eventually(lambda: document(lab)['proxy-2']['dns'] > 0)


def alerts(lab):
    """Return how many alerts the agent of proxy-1 has sent."""
    with urllib.request.urlopen(lab.agents[0] + '/metrics', timeout=60) as answer:
        line = re.search(rb'^swift_lb_agent_alerts_total ([\d.]+)$', answer.read(), re.MULTILINE)
    return float(line[1])


def test_an_agent_sends_an_alert_when_its_node_becomes_critical(cluster):
    lab = cluster.lab
    for number in (1, 2):
        conf = lab.directory / 'etc' / f'agent-{number}.conf'
        conf.write_text(conf.read_text() + f'reject = {READERS}\ncritical = {READERS}\n'
                        'interval = 5\n')
        os.kill(lab.processes[f'agent-{number}'].pid, signal.SIGHUP)
    assert eventually(lambda: all(page(lab, agent)['interval'] == 5 for agent in (0, 1)))
    slow_down(lab, '1s')
    file = InstructionFile(lab.directory / 'run' / 'agent-1.json', monotonic)

    def is_critical():
        instruction = file.current()
        return instruction is not None and instruction.of('proxy-1').state == CRITICAL
    with reading(lab, 1, 1), reading(lab, 0, 1):        # the load of both is known
        assert eventually(lambda: all('in_flight' in facts['metrics']
                                      for facts in document(lab).values()))
        for _try in range(5):       # a report that is due at the very instant precedes the alert
            with reading(lab, 0, READERS):
                assert eventually(is_critical)
            if alerts(lab):
                break
            assert eventually(lambda: not is_critical())
    assert alerts(lab) > 0
    lab.handicap(clear=True)
