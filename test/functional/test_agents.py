"""Real agents, and what befalls them: killed, stopped, parted, flooded, their clocks wrong."""
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time

import pytest
from support.agents import KEY, PORT, Agents
from support.two_sides import TwoSides, missing

from swift_lb.clock import monotonic, sleep
from swift_lb.instruction_file import InstructionFile
from swift_lb.model import Node, Report
from swift_lb.proxy.host_book import HostBook
from swift_lb.wire import node_report, signature

GONE = 5.0          # seconds in which the others have to know
SANE = 3.0          # likewise, after all have begun anew
QUICK = 'interval = 0.3\n'     # where it is not the seconds that are tried


@pytest.fixture(scope='module')
def five():
    """Five agents that agree; a test leaves them so."""
    with Agents(5, options='ramp = 8') as agents:
        agents.start()
        agents.wait_for_agreement(agents.names)
        yield agents


def shares(agents, among):
    """Return {name: {node: DNS share}} of the agents `among`."""
    return {name: {node: part['dns'] for node, part in agents.instruction(name).items()}
            for name in among}


def differ(given):
    """Return the most by which shares of one node differ; `given` is what shares() returns."""
    return max(max(one[node] for one in given.values()) - min(one[node] for one in given.values())
               for node in next(iter(given.values())))


def test_all_agree_on_the_same_shares(five):
    five.wait_until(lambda: differ(shares(five, five.names)) < 0.02, 10)
    for one in shares(five, five.names).values():
        assert set(one) == set(five.names)
        assert abs(sum(one.values()) - 1) < 1e-6


@pytest.mark.parametrize('dead', [['node-3'], ['node-1', 'node-5']])
def test_some_are_killed_and_come_back(five, dead):
    rest = [name for name in five.names if name not in dead]
    files = [InstructionFile(five.directory / name / 'run' / 'instruction.json', monotonic)
             for name in rest]
    five.kill(*dead)
    began, invalid = monotonic(), 0
    while not all(five.up(name) == set(rest) for name in rest):
        invalid += sum(file.current() is None for file in files)
        assert monotonic() - began < GONE + 0.3, {name: five.up(name) for name in rest}
    assert invalid == 0
    sleep(2.5)      # until what they were last told themselves is no more
    five.start(*dead)
    five.wait_for_agreement(five.names)
    given = five.instruction(rest[0])
    assert max(given[name]['dns'] for name in dead) < 0.1   # of 0.2: they begin as cold nodes


def test_one_that_hangs_never_gains_and_is_gone_within_five_seconds(five):
    before = five.instruction('node-2')['node-4']['dns']
    five.kill('node-4', number=signal.SIGSTOP)
    try:
        began, given = monotonic(), []
        while (given or [1])[-1] > 0 and monotonic() - began < 10:
            part = five.instruction('node-2').get('node-4', {'dns': 0.0})
            given.append(part['dns'])
            sleep(0.05)
        took = monotonic() - began
        five.wait_until(lambda: 'node-4' not in five.instruction('node-2'), 3)
        gone = monotonic() - began
    finally:
        five.kill('node-4', number=signal.SIGCONT)
    assert max(given) <= before + 0.01
    assert given[-1] == 0.0
    assert took <= GONE
    assert gone <= GONE + 0.3
    five.wait_for_agreement(five.names)
    assert five.instruction('node-2')['node-4']['dns'] < 0.5 * before
    five.wait_until(lambda: five.instruction('node-2')['node-4']['dns'] > 0.15)


def test_one_is_drained_by_hand_and_comes_back(five):
    status, _body = five.ask('node-2', '/v1/drain', 'POST')
    assert status == 403         # a web page could have sent that
    status, body = five.ask('node-2', '/v1/drain', 'POST', X_Lb_Agent='1')
    assert (status, json.loads(body)['state']) == (200, 'draining')
    rest = set(five.names) - {'node-2'}
    assert five.wait_for_agreement(five.names, rest, 3) < 3
    five.kill('node-2')
    five.start('node-2')         # it is remembered
    five.wait_until(lambda: listens(five, 'node-2'))
    five.wait_until(lambda: five.instruction('node-1').get('node-2', {}).get('state') == 'draining')
    assert five.ask('node-2', '/v1/undrain', 'POST', X_Lb_Agent='1')[0] == 200
    five.wait_for_agreement(five.names, seconds=5)
    why = {node['node']: node['reason'] for node in five.document('node-1', 'why')['nodes']}
    assert 'cold' in why['node-2']


def test_a_flood_of_garbage_leaves_the_reports_counted(five):
    others = five.names[1:]
    flood = subprocess.Popen([sys.executable, '-c', FLOOD, five.ips['node-1'], str(PORT)],
                             stdout=subprocess.PIPE, text=True)
    accepted = counter(five, 'node-1', 'reports_accepted')
    told = [counter(five, name, 'datagrams_sent') for name in others]
    sleep(5.0)
    told = [counter(five, name, 'datagrams_sent') - before
            for name, before in zip(others, told, strict=True)]
    sleep(0.2)
    accepted = counter(five, 'node-1', 'reports_accepted') - accepted
    up = five.up('node-1')
    sent, _nothing = flood.communicate(timeout=30)
    assert int(sent) >= 0.9 * 20_000 * 6, 'the flood was none'
    assert accepted >= sum(told) / len(others) - 1, 'each tells the four others each second'
    assert up == set(five.names)


FLOOD = '''
import os, socket, sys, time
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
out.connect((sys.argv[1], int(sys.argv[2])))
began, sent = time.monotonic(), 0
while time.monotonic() - began < 6:
    for number in range(200):
        try:
            out.send(b'slb1' + os.urandom(300))
        except OSError:
            pass
        sent += 1
    time.sleep(max(0.0, began + sent / 20_000 - time.monotonic()))
print(sent)
'''


def counter(agents, node, name):
    """Return a counter of an agent."""
    _status, body = agents.ask(node, '/metrics')
    line = next(line for line in body.decode().splitlines()
                if line.startswith(f'swift_lb_agent_{name}_total '))
    return float(line.split()[1])


def test_all_begin_anew_at_once(five):
    before = five.document('node-1')['generation']
    five.kill(*five.names)
    five.start()
    five.wait_until(lambda: all(listens(five, name) for name in five.names))
    assert five.wait_for_agreement(five.names, seconds=10) <= SANE
    given = shares(five, five.names)
    assert all(0.1 < share < 0.4 for one in given.values() for share in one.values())
    assert five.document('node-1')['generation'] >= before


def listens(agents, name):
    """Return whether an agent answers at all."""
    try:
        return agents.ask(name, '/healthz')[0] in (200, 503)
    except OSError:
        return False


def test_without_room_for_the_instruction_the_others_go_on_and_consumers_know(tmp_path):
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
            agents.wait_until(lambda: agents.document('node-1')['faults'], 5)
            assert 'No space' in agents.document('node-1')['faults'][0]
            agents.wait_until(lambda: file.current() is None, 8)
            assert agents.ask('node-1', '/healthz')[0] == 503
            assert agents.up('node-2') == set(agents.names)
            (place / 'ballast').unlink()
            agents.wait_until(lambda: file.current() is not None, 5)
            assert agents.document('node-1')['faults'] == []
        finally:
            agents.kill('node-1')
            subprocess.run(['umount', place], check=True)


def test_a_clock_that_is_wrong_by_30_seconds_is_tolerated_and_by_a_day_is_told():
    with Agents(3, options=QUICK) as agents:
        agents.start('node-1')
        for name, wrong in (('node-2', 30), ('node-3', 86400)):
            agents.start(name, before='from swift_lb import clock; real = clock.wall; '
                         f'clock.wall = lambda: real() + {wrong}; ')
        agents.wait_until(lambda: agents.up('node-1') == {'node-1', 'node-2'})
        skew = {node['node']: node['clock_skew'] for node in agents.document('node-1')['nodes']}
        assert abs(skew['node-2'] - 30) < 2
        agents.wait_until(lambda: b'reason="skewed"' in agents.ask('node-1', '/metrics')[1])


def test_a_newcomer_who_knows_one_is_soon_known_to_all():
    ips = [f'127.69.1.{number}' for number in range(1, 5)]
    with Agents(4, options=QUICK, ips=ips,
                peers=lambda name: [] if name == 'node-1' else ips[:1]) as agents:
        agents.start('node-1', 'node-2', 'node-3')
        agents.wait_for_agreement(agents.names[:3])
        agents.start('node-4')
        agents.wait_until(lambda: listens(agents, 'node-4'))
        assert agents.wait_for_agreement(agents.names, seconds=10) < 5


def test_keys_peers_and_the_metric_are_changed_while_running():
    with Agents(2, options=QUICK) as agents:
        agents.start()
        agents.wait_for_agreement(agents.names)
        old, new = KEY, 'the key that comes next'
        for first, second in ((old, new), (new, old), (new, '')):   # one node after the other
            for name in agents.names:
                agents.configure(name)
                conf = agents.directory / name / 'lb-server.conf'
                conf.write_text(conf.read_text().replace(
                    f'key = {KEY}', f'key = {first}\nkey2 = {second}')
                    + '\nmetric = memory\nrules = tllb\n')
                agents.kill(name, number=signal.SIGHUP)
                sleep(0.5)
                assert agents.up('node-1') == set(agents.names)
        found = agents.document('node-1')
        assert (found['metric'], found['rules'], found['faults']) == ('memory', 'tllb', [])
        conf.write_text('[lb-agent]\nnode = node-2\nkeys = wrong\ninterval = soon\n')
        agents.kill('node-2', number=signal.SIGHUP)
        agents.wait_until(lambda: agents.document('node-2')['faults'], 3)
        said = agents.document('node-2')['faults'][0]
        assert 'keys = ...' in said     # it may be one
        assert 'interval = soon' in said


def test_what_the_dispatchers_of_one_hand_on_is_known_to_all(tmp_path):
    peer, path = Node('10.0.0.2', 8080, 'node-2'), tmp_path / 'book'
    with Agents(2, options=QUICK) as agents:
        conf = agents.directory / 'node-1' / 'proxy-server.conf'
        conf.write_text(f'[filter:lb_dispatcher]\nbook = {path}\n')
        agents.start()
        agents.wait_for_agreement(agents.names)
        assert {'node-1': {}, 'node-2': {}} == flows(agents, 'node-2')
        worker = HostBook(lambda: f'{path}.dispatch', (), monotonic)
        worker.attend()

        def hands_on():
            worker.book.begin(peer, monotonic()).complete()
            return all(flows(agents, name)['node-1'].get('node-2', 0.0) > 1
                       for name in agents.names)
        agents.wait_until(hands_on)
        assert {} == flows(agents, 'node-1')['node-2']
        agents.wait_until(lambda: not any(flows(agents, 'node-2').values()), 15)


def flows(agents, name):
    """Return {node: {node: requests per second}} as an agent knows it."""
    return {node['node']: node['flows'] for node in agents.document(name)['nodes']}


def test_replayed_and_forged_reports_have_no_effect(five):
    forged = signature.sign(b'not the key of the nodes', node_report.encode(
        Report('intruder', int(1e15), 1, time.time(), 1.0, {})))
    recorded = five.ask('node-2', '/v1/report')[1]
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sleep(1.5)
    for datagram in (forged, recorded, recorded[:-1], b''):
        sender.sendto(datagram, (five.ips['node-1'], PORT))
    five.wait_until(lambda: b'reason="replayed"' in five.ask('node-1', '/metrics')[1], 3)
    assert five.up('node-1') == set(five.names)


def test_reports_are_pulled_where_the_conf_says_so():
    with Agents(3, options=QUICK + 'mode = pull\nhttp_key = a key for those who pull') as agents:
        agents.start()
        agents.wait_for_agreement(agents.names)
        assert b'datagrams_sent_total 0.0' in agents.ask('node-1', '/metrics')[1]
        agents.kill('node-2')
        agents.wait_for_agreement(['node-1', 'node-3'], seconds=GONE + 1)


@pytest.mark.skipif(missing() is not None, reason=str(missing()))
def test_a_partition_heals_by_itself():
    with TwoSides() as net:
        ips = [net.address(0, 1), net.address(0, 2), *(net.address(1, n) for n in (1, 2, 3))]
        left, right = ['node-1', 'node-2'], ['node-3', 'node-4', 'node-5']
        with Agents(5, ips=ips, inside=lambda name: net.inside(name in right),
                    options='http_key = a key for who looks on') as agents:
            ask = agents.ask
            agents.ask = lambda *args, **headers: ask(
                *args, X_Lb_Key='a key for who looks on', **headers)
            agents.start()
            agents.wait_for_agreement(agents.names)
            net.part()
            took = [agents.wait_for_agreement(right, seconds=GONE + 1)]
            # The smaller side sees most of the cluster go, and treats all as up.
            agents.wait_until(lambda: all(agents.document(name)['panic'] for name in left), 6)
            assert took[0] <= GONE + 0.3
            net.part(False)
            assert agents.wait_for_agreement(agents.names, seconds=10) <= GONE
            agents.wait_until(lambda: not agents.document('node-1')['panic'], 3)


def test_a_proxy_disabled_by_its_healthcheck_gets_no_new_clients():
    with Agents(3, options=QUICK + 'ramp = 1') as agents:
        (agents.directory / 'node-3' / 'proxy-server.conf').write_text(
            '[filter:healthcheck]\nuse = egg:swift#healthcheck\n'
            f'disable_path = {agents.directory}/disabled\n')
        agents.start()
        agents.wait_for_agreement(agents.names)
        (agents.directory / 'disabled').touch()
        agents.wait_for_agreement(agents.names, ['node-1', 'node-2'], 3)
        assert agents.instruction('node-1')['node-3']['state'] == 'disabled'
        (agents.directory / 'disabled').unlink()
        agents.wait_for_agreement(agents.names, seconds=3)
