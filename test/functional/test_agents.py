"""Real agents that are killed, stopped, parted or flooded, or have wrong clocks."""
import contextlib
import json
import os
import signal
import subprocess
import sys

import pytest
from support.agents import KEY, PORT, Agents
from support.two_sides import TwoSides, missing

from swift_lb.clock import monotonic
from swift_lb.instruction_file import InstructionFile
from swift_lb.model import Node
from swift_lb.proxy.host_book import HostBook

QUICK = 'interval = 0.3\n'     # for tests that do not depend on the default interval


@pytest.fixture(scope='module')
def five():
    """Five Agents that agree at first; each test leaves all of them running and in agreement."""
    with Agents(5, options='ramp = 8') as agents:
        agents.start()
        agents.wait_for_agreement(agents.names)
        yield agents


def shares(agents, among):
    """Return {agent in `among`: {node: DNS share, 0 to 1, in that agent's instruction}}."""
    return {name: {node: part['dns'] for node, part in agents.instruction(name).items()}
            for name in among}


def is_cold(agents, name, by):
    """Return whether the agent `by` calls the node `name` cold: it has less until it warms up."""
    nodes = (agents.document(by, 'why') or {'nodes': []})['nodes']
    return any(node['node'] == name and 'cold' in node['reason'] for node in nodes)


@pytest.mark.parametrize('dead', [['node-3'], ['node-1', 'node-5']])
def test_instructions_omit_killed_agents_until_they_are_back(five, dead):
    rest = [name for name in five.names if name not in dead]
    files = {name: InstructionFile(five.directory / name / 'run' / 'instruction.json', monotonic)
             for name in five.names}
    five.kill(*dead)
    without = []

    def left_out():
        without.extend(name for name in rest if files[name].current() is None)
        return all(five.up(name) == set(rest) for name in rest)
    five.wait_until(left_out)
    assert without == []
    five.wait_until(lambda: all(files[name].current() is None for name in dead))
    five.start(*dead)
    five.wait_until(lambda: all(is_cold(five, name, rest[0]) for name in dead))
    five.wait_for_agreement(five.names)


def test_a_node_whose_agent_hangs_gains_no_share_of_dns(five):
    def share():
        return five.instruction('node-2').get('node-4', {'dns': 0.0})['dns']
    before, given = share(), []
    five.kill('node-4', number=signal.SIGSTOP)
    try:
        five.wait_until(lambda: given.append(share()) or given[-1] == 0.0)
        five.wait_until(lambda: 'node-4' not in five.instruction('node-2'))
    finally:
        five.kill('node-4', number=signal.SIGCONT)
    assert max(given) <= before + 0.01
    five.wait_until(lambda: is_cold(five, 'node-4', 'node-2'))
    five.wait_for_agreement(five.names)
    five.wait_until(lambda: share() > 0.15)


def test_instructions_omit_a_drained_node_until_it_is_undrained(five):
    status, _body = five.ask('node-2', '/v1/drain', 'POST')
    assert status == 403         # a web page could have sent that
    status, body = five.ask('node-2', '/v1/drain', 'POST', X_Lb_Agent='1')
    assert (status, json.loads(body)['state']) == (200, 'draining')
    five.wait_for_agreement(five.names, set(five.names) - {'node-2'})
    five.kill('node-2')
    five.start('node-2')         # a restart does not end the drain
    five.wait_until(lambda: answers(five, 'node-2'))
    five.wait_until(lambda: five.instruction('node-1').get('node-2', {}).get('state') == 'draining')
    assert five.ask('node-2', '/v1/undrain', 'POST', X_Lb_Agent='1')[0] == 200
    five.wait_until(lambda: is_cold(five, 'node-2', 'node-1'))
    five.wait_for_agreement(five.names)


def test_an_agent_accepts_reports_during_a_flood_of_forged_ones(five):
    flood = subprocess.Popen([sys.executable, '-c', FLOOD, five.ips['node-1'], str(PORT)])
    try:
        accepted, refused = (counter(five, 'node-1', name) for name in COUNTED)
        five.wait_until(lambda: counter(five, 'node-1', COUNTED[1]) > refused + 20_000)
        five.wait_until(lambda: counter(five, 'node-1', COUNTED[0]) > accepted + 20)
        five.wait_until(lambda: five.up('node-1') == set(five.names))
    finally:
        flood.kill()
        flood.wait()
    five.wait_for_agreement(five.names)


COUNTED = 'reports_accepted_total', 'reports_refused_total{reason="forged"}'
FLOOD = '''
import os, socket, sys, time
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
out.connect((sys.argv[1], int(sys.argv[2])))
began, sent = time.monotonic(), 0
while True:     # 20,000 a second, until it is killed
    for number in range(200):
        try:
            out.send(b'slb1' + os.urandom(300))
        except OSError:
            pass
        sent += 1
    time.sleep(max(0.0, began + sent / 20_000 - time.monotonic()))
'''


def counter(agents, node, name):
    """Return the value of the counter `name` of the agent on `node`; 0 if it was never counted."""
    _status, body = agents.ask(node, '/metrics')
    lines = [line for line in body.decode().splitlines()
             if line.startswith(f'swift_lb_agent_{name} ')]
    return float(lines[0].split()[1]) if lines else 0.0


def test_agents_agree_on_an_instruction_after_all_restart(five):
    before = five.document('node-1')['generation']
    five.kill(*five.names)
    five.start()
    five.wait_until(lambda: all(answers(five, name) for name in five.names))
    five.wait_for_agreement(five.names)
    given = shares(five, five.names)
    assert all(0.1 < share < 0.4 for one in given.values() for share in one.values())
    assert five.document('node-1')['generation'] >= before


def answers(agents, name):
    """Return whether the agent `name` answers GET /healthz with 200 or 503."""
    try:
        return agents.ask(name, '/healthz')[0] in (200, 503)
    except OSError:
        return False


def test_the_last_instruction_expires_while_the_disk_is_full(tmp_path):
    if os.geteuid() != 0:
        pytest.skip('a full disk is a small tmpfs, which is mounted by root only')
    with Agents(2, options=QUICK) as agents:
        place = agents.directory / 'node-1' / 'run'
        subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=64k', 'none', place], check=True)
        try:
            agents.start()
            agents.wait_for_agreement(agents.names)
            file = InstructionFile(place / 'instruction.json', monotonic)
            assert file.current() is not None
            with open(place / 'ballast', 'wb', buffering=0) as ballast, \
                    contextlib.suppress(OSError):
                while ballast.write(b'x' * 1024):
                    pass
            agents.wait_until(lambda: agents.document('node-1')['faults'])
            assert 'No space' in agents.document('node-1')['faults'][0]
            agents.wait_until(lambda: file.current() is None)
            assert agents.ask('node-1', '/healthz')[0] == 503
            assert agents.up('node-2') == set(agents.names)
            (place / 'ballast').unlink()
            agents.wait_until(lambda: file.current() is not None)
            assert agents.document('node-1')['faults'] == []
        finally:
            agents.kill('node-1')
            subprocess.run(['umount', place], check=True)


def test_an_agents_clock_may_be_wrong_by_30_s_but_not_by_a_day():
    with Agents(3, options=QUICK) as agents:
        agents.start('node-1')
        for name, wrong in (('node-2', 30), ('node-3', 86400)):
            agents.start(name, before='from swift_lb import clock; real = clock.wall; '
                         f'clock.wall = lambda: real() + {wrong}; ')
        agents.wait_until(lambda: agents.up('node-1') == {'node-1', 'node-2'})
        agents.wait_until(lambda: any(
            node['node'] == 'node-2' and abs(node['clock_skew'] - 30) < 2
            for node in agents.document('node-1')['nodes']))
        agents.wait_until(lambda: b'reason="skewed"' in agents.ask('node-1', '/metrics')[1])


def test_all_agents_learn_of_a_new_agent_that_knows_one_peer():
    ips = [f'127.69.1.{number}' for number in range(1, 5)]
    with Agents(4, options=QUICK, ips=ips,
                peers=lambda name: [] if name == 'node-1' else ips[:1]) as agents:
        agents.start('node-1', 'node-2', 'node-3')
        agents.wait_for_agreement(agents.names[:3])
        agents.start('node-4')
        agents.wait_for_agreement(agents.names)


def test_sighup_changes_the_keys_and_the_metric_of_agents():
    with Agents(2, options=QUICK) as agents:
        agents.start()
        agents.wait_for_agreement(agents.names)
        stages = [(KEY, NEW_KEY, 'memory'), (NEW_KEY, KEY, 'cpu'), (NEW_KEY, '', 'memory')]
        for first, second, metric in stages:
            for name in agents.names:       # one node after the other
                agents.configure(name)
                conf = agents.directory / name / 'lb-server.conf'
                conf.write_text(conf.read_text().replace(
                    f'key = {KEY}', f'key = {first}\nkey2 = {second}')
                    + f'\nmetric = {metric}\nrules = tllb\n')
                agents.kill(name, number=signal.SIGHUP)
                agents.wait_until(lambda: agents.document(name)['metric'] == metric)    # noqa: B023
                wait_for_reports(agents)
                assert agents.up('node-1') == set(agents.names)
        assert [0.0, 0.0] == [counter(agents, name, COUNTED[1]) for name in agents.names]
        document = agents.document('node-1')
        assert (document['rules'], document['faults']) == ('tllb', [])
        conf.write_text('[lb-agent]\nnode = node-2\nkeys = wrong\ninterval = soon\n')
        agents.kill('node-2', number=signal.SIGHUP)
        agents.wait_until(lambda: agents.document('node-2')['faults'])
        fault = agents.document('node-2')['faults'][0]
        assert 'keys = ...' in fault    # it may be a key
        assert 'interval = soon' in fault


NEW_KEY = 'the key that comes next'


def wait_for_reports(agents, count=6):
    """Wait until each agent has accepted `count` more reports; 5 missing ones make a node gone."""
    wanted = {name: counter(agents, name, COUNTED[0]) + count for name in agents.names}
    agents.wait_until(lambda: all(counter(agents, name, COUNTED[0]) >= number
                                  for name, number in wanted.items()))


def test_every_agent_shows_the_requests_that_a_node_delegates(tmp_path):
    peer, path = Node('10.0.0.2', 8080, 'node-2'), tmp_path / 'book'
    with Agents(2, options=QUICK) as agents:
        conf = agents.directory / 'node-1' / 'proxy-server.conf'
        conf.write_text(f'[filter:lb_dispatcher]\nbook = {path}\n')
        agents.start()
        agents.wait_for_agreement(agents.names)
        assert {'node-1': {}, 'node-2': {}} == flows(agents, 'node-2')
        worker = HostBook(lambda: f'{path}.dispatch', (), monotonic)
        worker.attend()

        def flow_is_known():
            for _request in range(20):
                worker.book.begin(peer, monotonic()).complete()
            return all(flows(agents, name)['node-1'].get('node-2', 0.0) > 1
                       for name in agents.names)
        agents.wait_until(flow_is_known)
        assert {} == flows(agents, 'node-1')['node-2']
        agents.wait_until(lambda: not any(flows(agents, 'node-2').values()))


def flows(agents, name):
    """Return {node: {peer: requests per second delegated to it}} by the agent `name`."""
    return {node['node']: node['flows'] for node in agents.document(name)['nodes']}


def test_in_mode_pull_agents_fetch_each_others_reports():
    with Agents(3, options=QUICK + 'mode = pull\nhttp_key = a key for those who pull') as agents:
        agents.start()
        agents.wait_for_agreement(agents.names)
        assert b'datagrams_sent_total 0.0' in agents.ask('node-1', '/metrics')[1]
        agents.kill('node-2')
        agents.wait_for_agreement(['node-1', 'node-3'])


@pytest.mark.skipif(missing() is not None, reason=str(missing()))
def test_agents_agree_again_when_a_network_partition_ends():
    with TwoSides() as net:
        ips = [net.address(0, 1), net.address(0, 2), *(net.address(1, n) for n in (1, 2, 3))]
        left, right = ['node-1', 'node-2'], ['node-3', 'node-4', 'node-5']
        with Agents(5, ips=ips, inside=lambda name: net.inside(name in right),
                    options='http_key = a key of this very test') as agents:
            ask = agents.ask
            agents.ask = lambda *args, **headers: ask(
                *args, X_Lb_Key="a key of this very test", **headers)
            agents.start()
            agents.wait_for_agreement(agents.names)
            net.part()
            agents.wait_for_agreement(right)
            # Most of the cluster is gone for the smaller side, which treats all as up.
            agents.wait_until(lambda: all(agents.document(name)['panic'] for name in left))
            net.part(False)
            agents.wait_for_agreement(agents.names)
            agents.wait_until(lambda: not agents.document('node-1')['panic'])
