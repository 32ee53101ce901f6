"""`swift-lb check` of an lb-server.conf reports what the daemons refuse, and misspelt sections."""
import sys

import pytest

from swift_lb.check.command import examine
from swift_lb.errors import ConfigError
from swift_lb.service import options as agent
from swift_lb.service.dns import options as dns

AGENT = '[lb-agent]\nnode = a\nkey = sixteen characters\npeers = 192.0.2.1, 192.0.2.2\n'
DNS = ('[lb-dns]\nzone = lb.example.com\nproxies = a=192.0.2.1\n'
       'ns = ns1.lb.example.com=192.0.2.1\n')
IMAGE = '[lb-image]\npeers = 192.0.2.1\n'
CLUSTER = '[lb-cluster]\nname = us.ksu\nkey = seventeen characters\n'


@pytest.fixture
def check(tmp_path):
    """Return a function of the text of an lb-server.conf that returns its path and its Verdict."""
    proxy = tmp_path / 'proxy-server.conf'
    proxy.touch()

    def check(text):
        path = tmp_path / 'lb-server.conf'
        path.write_text(text.replace('node = a', f'node = a\nproxy_conf = {proxy}'))
        return str(path), examine(str(path))
    return check


def test_a_good_conf_has_a_fact_for_each_daemon(check):
    path, verdict = check('[DEFAULT]\nlog_level = INFO\n' + AGENT + DNS + IMAGE + CLUSTER)
    assert (path, 'lb-server', (), (), '') == verdict[:4] + verdict[5:]
    assert verdict.facts == {
        'lb-agent': 'node a, reports by UDP at 0.0.0.0:6208, peers: 2, rules = balanced, '
                    'cluster us.ksu',
        'lb-dns': 'zone lb.example.com, mode = membership, proxies: 1',
        'lb-image': 'socket /var/run/swift/images.sock, results in /var/cache/swift-lb'}


def test_a_missing_package_of_the_decoder_is_a_warning(check, monkeypatch):
    monkeypatch.setitem(sys.modules, 'numpy', None)     # as if it were not installed
    path, verdict = check(AGENT + IMAGE)
    assert ((), (f"{path}, [lb-image]: the Python package numpy is missing here: pip install "
                 "'swift-lb[image]'; swift-lb-image does not start without it",)
            ) == (verdict.faults, verdict.warnings)


def test_the_faults_of_all_daemons_are_reported_in_their_own_words(check):
    path, verdict = check(AGENT + 'intervall = 1\n[lb-agent:metrics:cpu]\nalways = 1\n'
                          + DNS.replace('zone = lb', 'zone = .lb') + IMAGE + 'workers = many\n')
    words = []
    for module in (agent, dns):
        with pytest.raises(ConfigError) as error:
            module.read(path)
        words += error.value.faults
    assert words == list(verdict.faults[:len(words)])
    assert f'{path}, [lb-agent], intervall = 1: unknown option; did you mean interval?' in words
    assert verdict.faults[len(words)].startswith(f'{path}, [lb-image], workers = many: must be')


@pytest.mark.parametrize(('name', 'meant'), [
    ('lb-agnt', 'lb-agent'), ('lb_dns', 'lb-dns'), ('lb-images', 'lb-image'),
    ('lb-clusters', 'lb-cluster'), ('lb-agemt:metric:cpu', 'lb-agent:metric:cpu')])
def test_a_misspelt_section_is_a_fault(check, name, meant):
    path, verdict = check(f'{AGENT}[{name}]\nx = 1\n')
    assert (f'{path}, [{name}]: unknown section; did you mean [{meant}]?',) == verdict.faults


def test_only_misspelt_sections_are_told_apart_from_other_files(check):
    path, verdict = check('[lb-agnt]\nnode = a\n')
    assert (f'{path}, [lb-agnt]: unknown section; did you mean [lb-agent]?',) == verdict.faults


@pytest.mark.parametrize(('text', 'warning'), [
    (AGENT + '[foo]\n', '[foo]: no daemon reads this section'),
    (DNS + CLUSTER, '[lb-cluster]: only the agent reads it, and there is no [lb-agent]')])
def test_a_section_that_no_daemon_reads_is_a_warning(check, text, warning):
    path, verdict = check(text)
    assert ((), (f'{path}, {warning}',)) == (verdict.faults, verdict.warnings)


def test_without_a_section_of_a_daemon_nothing_is_in_force(check):
    _path, verdict = check(CLUSTER)
    assert ((), True) == (verdict.faults, 'no daemon starts with it' in verdict.absent)


def test_a_name_that_swift_cannot_interpolate_is_a_fault_without_its_value(check):
    path, verdict = check(AGENT + 'key2 = secret secret %(nothing)s\n')
    assert (f'{path}, [lb-agent], key2: %(nothing)s is set neither there nor in [DEFAULT]',
            ) == verdict.faults


@pytest.mark.parametrize('section', ['DEFAULT', 'lb-dns'])
def test_a_user_that_is_not_there_is_warned_of(check, section):
    path, verdict = check(f'{DNS}[{section}]\n'.removesuffix('[lb-dns]\n') + 'user = nobody_here\n')
    assert (f'{path}, user = nobody_here: there is no such user; no start succeeds here',
            ) == verdict.warnings


def test_a_decoder_with_peers_needs_a_key(check):
    path, verdict = check(IMAGE)
    assert (f'{path}, [lb-image], peers: [lb-agent] must have a key, the same on all hosts',
            ) == verdict.faults


def test_a_metric_that_no_sensor_has_is_a_fault(check):
    path, verdict = check(AGENT + '[lb-agent:metric:unicorns]\n')
    assert verdict.faults[0].startswith(
        f'{path}, [lb-agent:metric:unicorns]: there is no such metric; there are cpu, ')
