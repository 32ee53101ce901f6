"""What one worker may send to other clusters, and why reads stay here."""
import os
import re

import pytest
from support.client_env import env_of
from support.cluster_proxy import NETWORK, ClusterProxy
from support.scripted_server import ScriptedServer, always, keeping

from swift_lb import clock, clusters_file
from swift_lb.config import read_options
from swift_lb.dispatch.containers import ContainerFacts
from swift_lb.dispatch.cost import Way
from swift_lb.dispatch.gains import RouteHistory
from swift_lb.dispatch.view import EMPTY
from swift_lb.errors import ConfigError
from swift_lb.model import FETCH, ClientPath, Route
from swift_lb.proxy.dispatch import cluster_choice
from swift_lb.proxy.dispatch.options import DispatchOptions, workers_of


def rate_of(proxy):
    """Return the requests per second that this worker may send to ucsb, which grants a million."""
    return proxy.filter._choice.credits._buckets['ucsb']._rate


def test_without_an_instruction_no_worker_takes_the_credit_of_all(tmp_path):
    proxy = ClusterProxy(tmp_path)
    proxy.know()
    assert rate_of(proxy) > 0.0
    proxy.filter._choice._chooser.view = EMPTY
    proxy.filter._attend_clusters()
    assert 0.0 == rate_of(proxy)


@pytest.mark.parametrize(('workers', 'count'), [('4', 4), ('0', 1)])
def test_a_worker_without_the_hosts_book_counts_those_in_the_conf(tmp_path, workers, count):
    proxy = ClusterProxy(tmp_path)      # book = worker
    proxy.filter._conf['workers'] = workers
    proxy.know()
    assert 1e6 / count == rate_of(proxy)
    assert os.cpu_count() == workers_of({}) == workers_of({'workers': 'auto'})


@pytest.fixture
def stays(tmp_path):
    """Return a function that returns the counts of `cluster_stays` after a read by a ClusterProxy.

    `change(proxy)` prepares it after it has heard of ucsb.
    """
    def stays(policy='adaptive', change=lambda proxy: None, **known):
        proxy = ClusterProxy(tmp_path, cluster_policy=policy)
        proxy.know(**known)
        proxy.filter._choice.router.containers.learn(
            '/v1/a/c', ContainerFacts(('ucsb',)), clock.monotonic())
        change(proxy)
        proxy.ask()
        return {name: count for name, count in proxy.counts.items() if 'stays' in name}
    return stays


def shut(proxy):
    history = proxy.filter._choice.router.gains._histories[Route('ucsb', FETCH)] = RouteHistory()
    history.until = float('inf')


def forget_times(proxy):
    known = proxy.filter._clusters.known()
    known.times.clear()


def spend(proxy):
    proxy.filter._choice.credits._buckets['ucsb']._tokens = 0.0
    proxy.filter._choice.credits._buckets['ucsb']._rate = 0.0


@pytest.mark.parametrize(('policy', 'change', 'why'), [
    ('adaptive', lambda _proxy: None, 'here'), ('on_absent', lambda _proxy: None, 'here'),
    ('adaptive', forget_times, 'unknown'), ('hsweb', forget_times, 'unknown'),
    ('always_fetch', spend, 'no_credit'), ('always_fetch', shut, 'shut')])
def test_a_read_that_could_have_left_is_counted_with_why_it_stays(stays, policy, change, why):
    assert {f'cluster_stays late {why}': 1} == stays(policy, change)


def test_a_region_before_any_answer_stays_as_seconds_here_are_unknown(stays):
    assert {'cluster_stays early unknown': 1, 'cluster_stays late here': 1} == stays(ring='ab')


def test_a_read_that_another_cluster_refuses_is_counted_with_why_it_stays(tmp_path):
    proxy = ClusterProxy(tmp_path, cluster_policy='always_fetch')
    refusal = b'HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n'
    with ScriptedServer(always(refusal)) as ucsb:
        proxy.know(ucsb)
        proxy.filter._choice.router.containers.learn(
            '/v1/a/c', ContainerFacts(('ucsb',)), clock.monotonic())
        for _read in range(2):
            proxy.ask()
    assert (1, 1) == tuple(proxy.counts[f'cluster_stays late {why}']
                           for why in ('no_answer', 'refused'))


@pytest.mark.parametrize(('policy', 'change'), [
    ('local', lambda _proxy: None),
    ('adaptive', lambda proxy: setattr(proxy, 'content', b'small')),
    ('adaptive', lambda proxy: setattr(proxy, 'status', '404 Not Found'))])
def test_a_read_that_could_not_have_left_is_not_counted(stays, policy, change):
    assert {} == stays(policy, change)


def test_hsweb_compares_only_the_papers_seconds(tmp_path):
    proxy = ClusterProxy(tmp_path, cluster_policy='hsweb', cluster_threshold=0.0)
    there = []
    with ScriptedServer(keeping(there)) as ucsb:
        proxy.know(ucsb, ring='ab')
        proxy.filter._choice.router.containers.learn('/v1/a/c', ContainerFacts(()),
                                                     clock.monotonic())
        # Sooner there than here by the paper, later by our terms: a round trip and a head.
        proxy.filter.served.curve.add(0, 0.0015, clock.monotonic())
        proxy.ask()
    assert there


def test_weights_and_threshold_of_the_conf_are_those_of_the_policies():
    options = read_options(DispatchOptions, {
        'cluster_band': '0.2', 'cluster_threshold': '1.5',
        'cluster_weights': 'us.ksu=3, us.ucsb=0.5'}, 'x')
    assert (0.2, 1.5, {'us.ksu': 3.0, 'us.ucsb': 0.5}) == options.of_cluster_policy


@pytest.mark.parametrize(('text', 'sentence'), [
    ('us.ksu', "'us.ksu' must be CLUSTER=WEIGHT"), ('KSU=1', "'KSU' must be the name of a cluster"),
    ('=1', "'' must be the name of a cluster"), ('ksu=1, ksu=2', 'ksu has two weights')])
def test_each_wrong_weight_of_a_cluster_has_a_sentence(text, sentence):
    with pytest.raises(ConfigError, match=re.escape(f'x, cluster_weights = {text}: {sentence}')):
        read_options(DispatchOptions, {'cluster_weights': text}, 'x')


@pytest.mark.parametrize(('shown', 'way'), [
    (None, Way(0.08, 2e6)), ((0.03, None, 3e4, 1e5), Way(0.03, 2e6, 3e4, 1e5)),
    ((0.03, 5e6, 3e4, 1e5), Way(0.03, 5e6, 3e4, 1e5))])
def test_what_a_connection_has_not_shown_is_known_of_its_network(
        tmp_path, monkeypatch, shown, way):
    proxy = ClusterProxy(tmp_path)
    proxy.know()
    clusters_file.write(tmp_path / 'clusters', proxy.filter._clusters.known()._replace(
        paths={'ksu': {NETWORK: ClientPath(NETWORK, 0.08, 2e6)}}))
    proxy.filter._clusters._path = None     # look now
    monkeypatch.setattr(cluster_choice, 'socket_of', lambda source: 'a socket')
    monkeypatch.setattr(cluster_choice, 'path_of', lambda connection: shown)
    assert way == proxy.filter._choice.pending(env_of(), None, 10, 0.1).client
