"""The options of an evaluation become a Plan, or all of their faults are reported at once."""
import json
import math
import re
from pathlib import Path

import pytest
from support.evaluation_subject import arguments

from swift_lb.errors import ConfigError
from swift_lb.evaluation import command, options
from swift_lb.evaluation.design import estimate, steps
from swift_lb.evaluation.plan import ClusterPlace

CLUSTER = ('--auth', 'http://a/auth/v1.0', '--user', 'me', '--key', 'secret')


def plan_of(*words):
    """Return the Plan of the command line `words`."""
    return options.plan_of(arguments(*words))


def faults_of(*words):
    """Return the faults, texts, for which the command line `words` is refused."""
    with pytest.raises(ConfigError) as refused:
        plan_of(*words)
    return refused.value.faults


def test_the_default_options_plan_what_the_paper_measured():
    result = plan_of()
    assert result.workers == (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 700)
    assert (result.sizes, result.read, result.repeats) == (('4KB', '16KB'), 80, 3)
    assert set(result.policies) == {
        'shuffle', 'weighted', 'connect_time', 'last_throughput', 'lb_rlt',
        'lb_rlt@read', 'swift:shuffle', 'swift:timing', 'swift:affinity'}
    assert set(result.proxy_workers) == {1, 2, 8}
    assert [round(limit, 1) for limit in result.place.capacity] == [48.1, 72.2, 69.7]
    assert result.place.slots == (1, 1, 1)


def test_the_option_quick_plans_less_than_five_minutes():
    result = plan_of('--quick')
    assert estimate(result, steps(result)) < 270
    assert 'lb_rlt' in result.policies
    assert len(result.workers) == 2


def test_options_given_with_quick_replace_the_values_of_quick():
    assert plan_of('--quick', '--workers', '8, 1,8', '--sizes', '4KB,4KB').workers == (8, 1)


def test_all_invalid_options_are_reported_together():
    faults = faults_of('--policies', 'best,shuffle,shuffle', '--workers', '0,two,4', '--sizes',
                       '4kb,0KB', '--repeats', '-1', '--read', '101', '--profile', 'none-such',
                       '--port', '99999', '--name', 'A_B', '--user', 'me')
    text = '\n'.join(faults)
    for words in ("policy 'best'", 'shuffle is there 2 times', '--workers 0', '--workers two',
                  '--sizes 4kb', '--sizes 0KB', '--repeats -1', '--read 101', 'none-such',
                  '--port 99999', "lab name 'A_B'", '--user: is of a cluster'):
        assert words in text, words
    assert len(faults) == 12


@pytest.mark.parametrize('word', ['', ',', '1;2', '1e3', '٣', '9' * 30, '1.5'])
def test_an_empty_list_and_an_invalid_number_are_refused(word):
    assert faults_of('--workers', word)
    assert faults_of('--policies', ' ,') == ('--policies: is empty',)


def test_a_profile_may_be_given_as_a_file(tmp_path):
    path = tmp_path / 'mine.conf'
    path.write_text('[node 1]\nslots = 4\nmean = 100ms\n')
    place = plan_of('--profile', str(path), '--nodes', '2').place
    assert (place.capacity, place.slots) == ((40, None), (4, None))
    assert place.replicas == 2
    json.dumps(plan_of('--profile', str(path)).document(), allow_nan=False)


def test_a_nodes_slots_are_the_sum_of_its_devices_slots():
    place = plan_of('--profile', 'one-slow-disk', '--devices', '2').place
    assert place.slots == (2, 2, 2)
    assert all(math.isfinite(limit) for limit in place.capacity)


def test_an_existing_cluster_is_measured_as_a_single_policy():
    result = plan_of(*CLUSTER, '--label', 'mine')
    assert result.place == ClusterPlace('mine', 'http://a/auth/v1.0', 'me')
    assert (result.policies, result.proxy_workers) == (('mine',), (1,))


def test_the_replicas_of_an_existing_cluster_are_set_by_an_option():
    four = plan_of(*CLUSTER, '--replicas', '4')
    assert (plan_of(*CLUSTER).place.replicas, four.place.replicas) == (3, 4)
    assert four.fingerprint() != plan_of(*CLUSTER).fingerprint()
    assert faults_of('--replicas', '3') == (
        '--replicas: is of a cluster; say --auth or --endpoint too',)
    for number in ('0', '17', 'two'):
        assert any(f'--replicas {number}' in fault for fault in faults_of(
            *CLUSTER, '--replicas', number))


@pytest.mark.parametrize(('words', 'said'), [
    (('--auth', 'http://a/auth', '--user', 'me'), '--key'),
    (('--auth', 'ftp://a/auth', '--user', 'me', '--key', 'k'), 'must be a URL'),
    (('--auth', 'http://[::1/auth', '--user', 'me', '--key', 'k'), 'must be a URL'),
    (('--endpoint', 'http://.101:8080/v1/a'), 'must be a URL'),
    (('--endpoint', 'http://a:8080'), 'must be a storage URL'),
    ((*CLUSTER, '--policies', 'shuffle'), '--policies: is of a lab'),
    ((*CLUSTER, '--proxy-workers', '1'), '--proxy-workers: is of a lab'),
    ((*CLUSTER, '--label', 'a/b'), '--label'),
    (('--endpoint', 'http://a/v1/AUTH_me', '--user', 'me'), '--user: is of a login'),
    (('--endpoint', 'http://a/v1/AUTH_me', '--project', 'p'), '--project: is of a login'),
])
def test_contradicting_options_of_an_existing_cluster_are_refused(words, said, monkeypatch):
    monkeypatch.delenv(options.KEY, raising=False)
    assert any(said in fault for fault in faults_of(*words))


def test_the_users_key_may_come_from_the_environment(monkeypatch):
    monkeypatch.setenv(options.KEY, 'secret')
    assert options.key_of(arguments()) == 'secret'
    assert plan_of(*CLUSTER[:4]).place.user == 'me'


@pytest.mark.parametrize('words', [
    ['--key', 'secret'], ['--key=secret'], ['--ke', 'secret'], ['--k=secret', '--user', 'me']])
def test_the_users_key_is_not_stored(words):
    result = command.this_run(['/bin/swift-lb', 'bench', 'evaluate', *words])
    assert 'secret' not in json.dumps(result)
    assert '***' in result['command']
    assert result['command'].startswith('swift-lb bench evaluate')
    assert 'secret' not in json.dumps(plan_of(*CLUSTER).document())


def test_every_option_is_described_in_the_manual(capsys):
    with pytest.raises(SystemExit):
        arguments('--help')
    named = set(re.findall(r'--[a-z-]+', capsys.readouterr().out)) - {'--help'}
    manual = (Path(__file__).resolve().parents[3] / 'doc' / 'evaluation.md').read_text()
    assert sorted(named) == sorted(option for option in named if option in manual)
