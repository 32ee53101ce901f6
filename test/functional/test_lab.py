"""The lab against itself: a real Swift comes up, is disturbed, and leaves nothing behind."""
import http.client
import json
import os
import signal
import subprocess
import sys
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

import pytest
from support.cluster import eventually

from swift_lb.clock import monotonic
from swift_lb.errors import ConfigError, LabError
from swift_lb.lab import place, process
from swift_lb.lab.lab import Lab
from swift_lb.lab.spec import LabSpec

PLAIN = 'egg:swift#proxy'
BIG = os.urandom(1 << 20)
SWIFT_LB = [sys.executable, '-W', 'ignore', '-m', 'swift_lb.cli', 'lab']


def ask(method, url, body=None, timeout=30, **headers):
    """Return (status, body) of one request; raises what http.client raises."""
    at = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(at.hostname, at.port, timeout=timeout)
    try:
        connection.request(method, at.path, body,
                           {name.replace('_', '-'): value for name, value in headers.items()})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def swift(lab, method, path='', body=None, **headers):
    """Send the lab's proxy a request, with a token if it wants one; return (status, body)."""
    token = {'X_Auth_Token': lab.token()} if lab.memcached else {}
    return ask(method, f'{lab.storage_url()}{path}', body, **token, **headers)


def nothing_left(lab):
    return not process.members(lab.directory) and not lab.directory.exists()


@pytest.fixture(scope='module')
def lab(request):
    """A lab with three storage policies, a container of each, `c`, `ec` and `s`, that holds `big`.
    """
    began = monotonic()
    spec = LabSpec(name=f'test-{os.getpid()}', app=PLAIN, ec=True, second_policy=True)
    with Lab.up(spec) as lab:
        print(f'\nready after {monotonic() - began:.1f} s')
        for container, policy in (('c', 'gold'), ('ec', 'ec21'), ('s', 'silver')):
            assert swift(lab, 'PUT', f'/{container}', X_Storage_Policy=policy)[0] == 201
            assert swift(lab, 'PUT', f'/{container}/big', BIG)[0] == 201
        yield lab
    assert nothing_left(lab)


@pytest.fixture
def clean(lab):
    lab.handicap(clear=True)
    yield lab
    lab.handicap(clear=True)


@pytest.mark.parametrize('container', ['c', 'ec', 's'])
def test_objects_are_stored_and_read_in_every_storage_policy(lab, container):
    assert swift(lab, 'GET', f'/{container}/big') == (200, BIG)
    assert swift(lab, 'HEAD', f'/{container}/big')[0] == 200
    assert swift(lab, 'PUT', f'/{container}/big2', b'2')[0] == 201
    assert swift(lab, 'DELETE', f'/{container}/big2')[0] == 204


def test_lab_set_with_invalid_settings_changes_no_handicap(clean):
    before = clean.nodes.rules()
    result = subprocess.run([*SWIFT_LB, 'set', '--name', clean.spec.name, 'node=1', 'slots=0',
                           'mean=long'], capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert 'slots = 0' in result.stderr
    assert 'mean = long' in result.stderr
    assert clean.nodes.rules() == before


def test_a_stopped_node_can_be_started_again(clean):
    clean.stop_node(2)
    assert {node for node, _device in clean.served()} == {1, 3}
    assert swift(clean, 'GET', '/c/big') == (200, BIG)
    clean.handicap(profile='even')       # a node that is down learns it when it starts
    clean.start_node(2)
    assert clean.nodes.report(2)['rules']['profile'] == 'even'


def test_proxies_restarted_with_new_options_have_them_and_serve(clean):
    clean.restart_proxies({'policy:0:sorting_method': 'affinity',
                           'policy:0:read_affinity': 'r1=100'})
    assert 'read_affinity = r1=100' in (clean.directory / 'etc/proxy-1.conf').read_text()
    assert swift(clean, 'GET', '/ec/big') == (200, BIG)


def test_a_proxy_reloaded_by_sigusr1_keeps_the_storage_policies(clean):
    proxy = clean.processes['proxy-1']
    workers = process.members(clean.directory, [proxy]) - {proxy.pid}
    os.kill(proxy.pid, signal.SIGUSR1)
    assert eventually(lambda: not workers & process.members(clean.directory, [proxy]))
    assert proxy.alive
    assert swift(clean, 'GET', '/ec/big') == (200, BIG)
    assert 'ec21' in ask('GET', f'{clean.endpoint}/info')[1].decode()


def test_a_proxy_that_sighup_ended_can_be_restarted(clean):
    proxy = clean.processes['proxy-1']
    os.kill(proxy.pid, signal.SIGHUP)

    def ended():
        process.reap(proxy.pid)
        return not process.members(clean.directory, [proxy])
    assert eventually(ended)
    clean.restart_proxies()
    assert swift(clean, 'GET', '/ec/big') == (200, BIG)


def test_each_server_of_a_lab_has_a_log_file_of_its_own(lab):
    assert 'GET /v1/AUTH_test/c/big' in lab.log('proxy-1').read_text()
    assert all(lab.log(name).stat().st_size for name in ('account', 'container', 'object-1'))


def small(name, **spec):
    return LabSpec(**{'name': f'test-{name}-{os.getpid()}', 'nodes': 1, 'replicas': 1,
                      'app': PLAIN} | spec)


def test_two_labs_start_at_once_and_end_after_servers_died():
    with ThreadPoolExecutor(2) as pool:
        labs = [*pool.map(Lab.up, (small('one'), small('two')))]
    try:
        assert labs[0].endpoint != labs[1].endpoint
        with pytest.raises(LabError, match='is there already'):
            Lab.up(small('one'))
        assert swift(labs[0], 'PUT', '/only-here')[0] == 201
        assert b'only-here' not in swift(labs[1], 'GET')[1]
        os.kill(labs[0].processes['proxy-1'].pid, signal.SIGKILL)     # its worker lives on
        os.kill(labs[0].processes['object-1'].pid, signal.SIGKILL)
    finally:
        result = subprocess.run([*SWIFT_LB, 'down', '--name', labs[0].spec.name],
                              capture_output=True, text=True, check=True).stdout
        labs[1].down()
    assert 'is down' in result
    assert nothing_left(labs[0])
    assert nothing_left(labs[1])


def test_lab_down_without_a_lab_does_nothing():
    result = subprocess.run([*SWIFT_LB, 'down', '--name', 'never'], capture_output=True, text=True,
                          check=True).stdout
    assert 'nothing to do' in result


@pytest.mark.parametrize(('number', 'status'), [(signal.SIGINT, 130), (signal.SIGTERM, 130)])
def test_an_interrupted_lab_up_leaves_nothing_behind(number, status):
    name = f'test-interrupted-{os.getpid()}'
    directory = place.root() / name
    up = subprocess.Popen([*SWIFT_LB, 'up', '--name', name, '--app', PLAIN])
    assert eventually((directory / 'log/proxy-1.out').exists, 60)
    lab = Lab.find(name)
    up.send_signal(number)
    assert up.wait(60) == status
    assert nothing_left(lab)


def test_lab_down_cleans_up_after_a_killed_lab_up():
    name = f'test-killed-{os.getpid()}'
    up = subprocess.Popen([*SWIFT_LB, 'up', '--name', name, '--app', PLAIN])
    assert eventually((place.root() / name / 'log/proxy-1.out').exists, 60)
    up.kill()
    up.wait()
    lab = Lab.find(name)
    assert lab.down()
    assert nothing_left(lab)


def test_lab_up_quotes_the_log_of_a_server_that_cannot_start():
    with pytest.raises(LabError, match=r'(?s)proxy-1 ended while it started.*no_such_method'):
        Lab.up(small('bad', proxy_options={'sorting_method': 'no_such_method'}))
    assert not (place.root() / f'test-bad-{os.getpid()}').exists()


def test_a_lab_can_start_where_another_of_its_name_left_logs():
    directory = place.root() / f'test-logs-{os.getpid()}'
    with Lab.up(small('logs')) as lab:
        lab.down(keep_logs=True)
        assert [one.name for one in directory.iterdir()] == ['log']
        with Lab.up(small('logs')):
            assert (directory / 'run/state.json').exists()
    assert not directory.exists()


@pytest.fixture(scope='module')
def slow_proxies():
    """A lab with two swift-lb proxies that can be handicapped, and the container `c`."""
    spec = small('proxies', proxies=2, handicap_proxies=True, app='egg:swift-lb#proxy')
    with Lab.up(spec) as lab:
        assert swift(lab, 'PUT', '/c')[0] == 201
        yield lab


@pytest.fixture
def pair(slow_proxies):
    slow_proxies.handicap(clear=True)
    yield slow_proxies
    slow_proxies.handicap(clear=True)


def through(lab, proxy, method, path):
    """Return a function that asks proxy number `proxy` for a path of the lab's account.

    It returns the status; it sends a token if the lab has memcached, and so wants one."""
    token = {'X_Auth_Token': lab.token()} if lab.memcached else {}
    return lambda: ask(method, f'{lab.endpoints[proxy - 1]}/v1/AUTH_test{path}', **token)[0]


def test_slots_and_mean_limit_the_request_rate_of_a_proxy(pair):
    pair.handicap(proxy=2, slots=1, mean='100ms', dist='constant')
    head = through(pair, 2, 'HEAD', '/c')
    before = pair.served_by_proxies()
    with ThreadPoolExecutor(5) as pool:     # 20 requests at 10/s
        began = monotonic()
        answers = [*pool.map(lambda _: head(), range(20))]
    assert monotonic() - began >= 1.9
    assert answers == [204] * 20
    assert pair.proxies.capacity()[2] == 10
    after = pair.served_by_proxies()
    assert [0, 20] == [after[proxy]['served'] - before[proxy]['served'] for proxy in (1, 2)]


def test_a_hanging_request_is_in_flight_at_its_own_proxy_only(pair):
    def in_flight():
        pages = [json.loads(ask('GET', f'{endpoint}/lb/status')[1]) for endpoint in pair.endpoints]
        return [page['book']['requests']['in_flight'] for page in pages]
    pair.handicap(proxy=2, hang='yes')
    with ThreadPoolExecutor(2) as pool:
        hanging = [pool.submit(through(pair, 2, 'GET', '/c')) for _ in range(2)]
        assert eventually(lambda: in_flight() == [0, 2])
        assert through(pair, 1, 'GET', '/c')() == 204
        assert ask('GET', f'{pair.endpoints[1]}/healthcheck')[0] == 200
        pair.handicap(proxy=2, clear=True)
        assert [one.result() for one in hanging] == [204, 204]
    assert eventually(lambda: in_flight() == [0, 0])


def test_a_proxys_handicap_survives_a_restart(pair):
    pair.handicap(proxy=1, fail=1, status=507)
    pair.restart_proxies(app=PLAIN)
    assert through(pair, 1, 'GET', '/c')() == 507
    assert through(pair, 2, 'GET', '/c')() == 204
    pair.restart_proxies(app='egg:swift-lb#proxy')


def test_a_dispatcher_is_refused_in_a_lab_without_agents(pair):
    with pytest.raises(LabError, match='has no agents, which a dispatcher needs'):
        pair.restart_proxies(dispatch=True)
    assert not pair.spec.dispatch


def test_a_proxy_is_slowed_only_if_handicap_proxies_was_set(lab):
    with pytest.raises(ConfigError, match='started without --handicap-proxies'):
        lab.handicap(proxy=1, mean=1)
    with pytest.raises(ConfigError, match='node=1 proxy=1: must be one of them'):
        lab.handicap(node=1, proxy=1, mean=1)
    assert lab.served_by_proxies() == {}
