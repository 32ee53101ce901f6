"""Agents beside the proxies of a real Swift: what these have to do is seen, and told at once."""
import contextlib
import json
import os
import signal
import threading
import urllib.request

import pytest
from support.cluster import Cluster, eventually

from swift_lb.clock import monotonic, sleep
from swift_lb.instruction_file import InstructionFile
from swift_lb.lab.lab import Lab
from swift_lb.lab.spec import LabSpec
from swift_lb.model import CRITICAL

READERS = 12


@pytest.fixture(scope='module')
def cluster():
    """A Cluster of two proxies with agents."""
    with Lab.up(LabSpec(name=f'agents-{os.getpid()}', proxies=2, agents=True)) as lab:
        found = Cluster(lab)
        found.put('/c')
        found.put('/c/o', b'x' * 4096)
        yield found


def slow_down(lab, mean):
    """Have each storage node take so long for a request."""
    for node in range(1, lab.spec.nodes + 1):
        lab.handicap(node=node, mean=mean, slots=32, dist='constant')


def document(lab, agent=0):
    """Return /v1/cluster of an agent, {node: facts}."""
    with urllib.request.urlopen(lab.agents[agent] + '/v1/cluster', timeout=5) as answer:
        return {node['node']: node for node in json.load(answer)['nodes']}


def get(url, token, done):
    """Read one object, and again until `done` is set."""
    while not done.is_set():
        with contextlib.suppress(OSError), urllib.request.urlopen(urllib.request.Request(
                url, headers={'X-Auth-Token': token or ''}), timeout=30) as answer:
            answer.read()


@contextlib.contextmanager
def reading(lab, proxy, readers):
    """Have so many `readers` read from a proxy all the while."""
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


def test_requests_in_flight_and_response_times_come_from_the_proxies(cluster):
    lab = cluster.lab
    slow_down(lab, '200ms')
    with reading(lab, 0, 4), reading(lab, 1, 1):
        found = eventually(lambda: all(
            'response_time' in facts['metrics'] for facts in document(lab).values())
            and document(lab)['proxy-1']['metrics']['in_flight'] > 2 and document(lab))
    assert 0.15 < found['proxy-1']['metrics']['response_time'] < 1
    assert 5 < found['proxy-1']['metrics']['requests'] < 100
    assert found['proxy-1']['metrics']['in_flight'] > found['proxy-2']['metrics']['in_flight']
    assert found['proxy-1']['load'] > found['proxy-2']['load']
    assert found['proxy-1']['proxy'] == lab.endpoints[0].removeprefix('http://')


def test_a_proxy_that_is_killed_gets_no_new_clients_and_comes_back(cluster):
    lab = cluster.lab
    assert document(lab)['proxy-2']['state'] == 'up'
    lab.stop_proxy(2)
    assert eventually(lambda: document(lab)['proxy-2']['dns'] == 0, 6)
    assert document(lab)['proxy-2']['state'] == 'disabled'
    with urllib.request.urlopen(lab.agents[1] + '/v1/cluster', timeout=5) as answer:
        assert 'does not answer' in json.load(answer)['faults'][0]
    lab.start_proxy(2)
    assert eventually(lambda: document(lab)['proxy-2']['dns'] > 0, 6)


def test_the_dispatcher_of_a_node_that_becomes_critical_is_told_at_once(cluster):
    lab = cluster.lab
    for number in (1, 2):
        conf = lab.directory / 'etc' / f'agent-{number}.conf'
        conf.write_text(conf.read_text() + f'reject = {READERS}\ncritical = {READERS}\n'
                        'interval = 5\n')
        os.kill(lab.processes[f'agent-{number}'].pid, signal.SIGHUP)
    slow_down(lab, '1s')
    file = InstructionFile(lab.directory / 'run' / 'agent-1.json', monotonic)
    with reading(lab, 1, 1), reading(lab, 0, 1):        # both are known
        assert eventually(lambda: all('in_flight' in facts['metrics']
                                      for facts in document(lab).values()))
        written = (lab.directory / 'run' / 'agent-1.json').stat().st_mtime_ns
        eventually(lambda: written != (lab.directory / 'run' / 'agent-1.json').stat().st_mtime_ns)
        sleep(0.3)              # a tick has just been, the next is in 5 s
        with reading(lab, 0, READERS):
            began = monotonic()
            state = eventually(lambda: file.current().of('proxy-1').state == CRITICAL, 4)
            took = monotonic() - began
    assert state
    assert took < 1.0
    lab.handicap(clear=True)
