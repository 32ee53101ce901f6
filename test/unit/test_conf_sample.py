"""The conf sample holds every option at its default, and nothing else."""
import configparser
import re
from pathlib import Path

import pytest

from swift_lb.conf_file import AGENT, DNS, NAMES
from swift_lb.config import OPTIONS, PREFIX, ReplicaOptions, replica_options
from swift_lb.errors import ConfigError
from swift_lb.policy.backends import BACKEND_POLICIES
from swift_lb.proxy.dispatch import options as dispatcher_options
from swift_lb.proxy.dispatch.place import place_faults
from swift_lb.service import options
from swift_lb.service.dns import option_table
from swift_lb.service.dns import options as dns_options
from swift_lb.service.name_server import NameServer

SAMPLE = Path(__file__).resolve().parents[2] / 'etc' / 'proxy-server.conf-sample'


def commented():
    """Return {option: value} of the commented-out lb_ options of the app's section."""
    section = SAMPLE.read_text().split('[app:proxy-server]')[1].split('# [proxy-server:policy')[0]
    return dict(re.findall(rf'^# ({PREFIX}\w+) =[ ]?(.*)$', section, re.MULTILINE))


def test_every_option_is_there_and_no_other():
    assert {PREFIX + name for name in OPTIONS} == set(commented())


def test_every_value_is_the_default():
    assert {None: ReplicaOptions()} == replica_options(commented(), {})


def test_the_sample_parses_as_it_stands():
    parser = configparser.ConfigParser()
    parser.read(SAMPLE)
    assert parser['app:proxy-server']['use'] == 'egg:swift-lb#proxy'
    assert parser['filter:lb_status']['use'] == 'egg:swift-lb#lb_status'


@pytest.mark.parametrize('name', OPTIONS)
def test_every_option_has_a_reason(name):
    text = SAMPLE.read_text()
    before = text[:text.index(f'# {PREFIX}{name} =')].rstrip().split('\n\n')[-1]
    assert len(before.split()) > 8


DISPATCH = '[filter:lb_dispatcher]'


def dispatch_text():
    """Return the text of the dispatcher's section in the sample."""
    return SAMPLE.read_text().split(f'\n{DISPATCH}\n')[1]


def dispatch_commented():
    """Return {option: value} of the commented-out options of the dispatcher."""
    return dict(re.findall(r'^# (\w+) =[ ]?(.*)$', dispatch_text(), re.MULTILINE))


def test_every_option_of_the_dispatcher_is_there_and_no_other():
    assert set(dispatcher_options.OPTIONS) == set(dispatch_commented())


def test_every_value_of_the_dispatcher_is_the_default():
    assert (dispatcher_options.dispatch_options(dispatch_commented(), 'x')
            == dispatcher_options.DispatchOptions())


def test_every_policy_of_the_dispatcher_is_there_but_the_one_for_tests():
    listed = re.findall(r'^#   (\w+) ', dispatch_text(), re.MULTILINE)
    assert sorted({*BACKEND_POLICIES} - {'always_delegate'}) == sorted(listed)


@pytest.mark.parametrize('name', sorted(dispatcher_options.OPTIONS))
def test_every_option_of_the_dispatcher_has_a_reason(name):
    text = dispatch_text()
    before = text[:text.index(f'# {name} =')].rstrip().split('\n\n')[-1]
    assert len(before.split()) > 8


def test_the_dispatcher_stands_where_check_wants_it():
    line = re.search(r'^# pipeline = (.*) \.\.\.$', SAMPLE.read_text(), re.MULTILINE)[1]
    assert 'lb_dispatcher' in line
    assert [] == place_faults(
        [(name, name.replace('-', '_')) for name in line.split()], 'x')


AGENT_SAMPLE = SAMPLE.with_name('lb-server.conf-sample')
AGENT_OPTIONS = options.OPTIONS | options.PLAN | options.THRESHOLDS


def agent_text():
    """Return the text of [lb-agent] in the sample, without the sections of metrics."""
    return AGENT_SAMPLE.read_text().split('\n[lb-agent]\n')[1].split('\n# One section')[0]


def agent_commented():
    """Return {option: value} of the commented-out options of [lb-agent]."""
    return dict(re.findall(r'^# (\w+) =[ ]?(.*)$', agent_text(), re.MULTILINE))


def test_every_option_of_the_agent_is_there_and_no_other():
    assert set(AGENT_OPTIONS) == set(agent_commented())


def test_every_value_of_the_agent_is_the_default():
    found = agent_commented()
    assert found.pop('node') == 'HOSTNAME'
    assert options.agent_options(found, {}) == options.AgentOptions()


def test_the_agents_sample_parses_as_it_stands():
    assert options.read(AGENT_SAMPLE) == options.AgentOptions()


@pytest.mark.parametrize('name', sorted(AGENT_OPTIONS))
def test_every_option_of_the_agent_has_a_reason(name):
    text = agent_text()
    before = text[:text.index(f'# {name} =')].rstrip().split('\n\n')[-1]
    assert len(before.split()) > 8


DNS_OPTIONS = option_table.OPTIONS
SET = {'zone': 'lb.example.com', 'proxies': 'a=192.0.2.1', 'ns': 'ns1.lb.example.com=192.0.2.1'}


def dns_text():
    """Return the text of [lb-dns] in the sample."""
    return AGENT_SAMPLE.read_text().split('\n# [lb-dns]\n')[1]


def dns_commented():
    """Return {option: value} of the commented-out options of [lb-dns]."""
    return dict(re.findall(r'^# (\w+) =[ ]?(.*)$', dns_text(), re.MULTILINE))


def test_every_option_of_dns_is_there_and_no_other():
    assert set(DNS_OPTIONS) == set(dns_commented())


def test_every_value_of_dns_is_the_default():
    found = dns_commented()
    assert found.pop('node') == 'HOSTNAME'
    assert dns_options.dns_options(SET) == dns_options.dns_options(found | SET)


def test_the_sample_has_all_that_dns_needs_but_what_nobody_else_knows(tmp_path):
    path = tmp_path / 'lb-server.conf'
    path.write_text(AGENT_SAMPLE.read_text().replace('\n# [lb-dns]\n', '\n[lb-dns]\n'))
    with pytest.raises(ConfigError) as found:
        dns_options.read(path)
    assert [f'{path}, [lb-dns], {name}: must be set' for name in (
        'zone', 'proxies', 'ns')] == [fault.partition(', to ')[0] for fault in found.value.faults]


def test_a_copy_of_the_sample_has_no_dns_until_its_line_is_there():
    assert NameServer(AGENT_SAMPLE)()['configured'] is False


@pytest.mark.parametrize('name', sorted(DNS_OPTIONS))
def test_every_option_of_dns_has_a_reason(name):
    text = dns_text()
    before = text[:text.index(f'# {name} =')].rstrip().split('\n\n')[-1]
    assert len(before.split()) > 8


@pytest.mark.parametrize(('section', 'table'), [(AGENT, AGENT_OPTIONS), (DNS, DNS_OPTIONS)])
def test_each_daemon_knows_the_others_options(section, table):
    assert set(table) == set(NAMES[section])
