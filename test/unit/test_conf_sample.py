"""The conf samples have exactly the existing options, at their defaults, with unit and reason."""
import configparser
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from swift_lb.conf_file import AGENT, DNS, IMAGE, NAMES
from swift_lb.config import options_of, read_options
from swift_lb.errors import ConfigError
from swift_lb.policy.backends import BACKEND_POLICIES
from swift_lb.policy.clusters import CLUSTER_POLICIES
from swift_lb.proxy.dispatch import place
from swift_lb.proxy.dispatch.options import DispatchOptions
from swift_lb.proxy.image.options import ImageFilterOptions
from swift_lb.proxy.status import StatusOptions
from swift_lb.replica_options import OPTIONS, PREFIX, ReplicaOptions, replica_options
from swift_lb.service import cluster_options as cluster
from swift_lb.service import options as agent
from swift_lb.service.dns import options as dns
from swift_lb.service.image import options as image
from swift_lb.service.name_server import NameServer
from swift_lb.storage.load_report import LoadReportOptions

SAMPLES = Path(__file__).resolve().parents[2] / 'etc'
PROXY, OBJECT, SERVER = (SAMPLES / f'{name}-server.conf-sample'
                         for name in ('proxy', 'object', 'lb'))
DNS_LINE, IMAGE_LINE = '# [lb-dns]', '# [lb-image]'     # these sections are commented out
REQUIRED = {'zone': 'lb.example.com', 'proxies': 'a=192.0.2.1',
            'ns': 'ns1.lb.example.com=192.0.2.1'}

NAMED = {'name': 'us.ksu', 'key': 'sixteen characters'}      # of a cluster; they must be set


def filter_section(sample, name, cls):
    """Return the value in SECTIONS of filter `name` in file `sample`; its options are of `cls`."""
    return SimpleNamespace(
        sample=sample, begin=f'[filter:{name}]', end='\n[filter:', table=options_of(cls),
        read=lambda texts: read_options(cls, texts, name), default=cls())


SECTIONS = {
    'replicas': SimpleNamespace(
        sample=PROXY, begin='[app:proxy-server]', end='# [proxy-server:policy',
        table={PREFIX + name: one for name, one in OPTIONS.items()},
        read=lambda texts: replica_options(texts, {})[None], default=ReplicaOptions()),
    'lb_status': filter_section(PROXY, 'lb_status', StatusOptions),
    'lb_dispatcher': filter_section(PROXY, 'lb_dispatcher', DispatchOptions),
    'lb_image': filter_section(PROXY, 'lb_image', ImageFilterOptions),
    'lb_report': filter_section(OBJECT, 'lb_report', LoadReportOptions),
    'lb-agent': SimpleNamespace(
        sample=SERVER, begin='[lb-agent]', end='# One section', table=agent.AGENT_OPTIONS,
        read=lambda texts: agent.agent_options(without_host(texts), {}),
        default=agent.AgentOptions()),
    'lb-cluster': SimpleNamespace(
        sample=SERVER, begin='# [lb-cluster]', end=DNS_LINE, table=cluster.OPTIONS,
        read=lambda texts: cluster.cluster_options(texts | NAMED, 'x', []),
        default=cluster.ClusterOptions(**NAMED)),
    'lb-dns': SimpleNamespace(
        sample=SERVER, begin=DNS_LINE, end=IMAGE_LINE, table=dns.OPTIONS,
        read=lambda texts: dns.dns_options(without_host(texts) | REQUIRED),
        default=dns.dns_options(REQUIRED)),
    'lb-image': SimpleNamespace(
        sample=SERVER, begin=IMAGE_LINE, end='\0', table=image.OPTIONS,
        read=image.image_options, default=image.ImageServiceOptions()),
}


def without_host(texts):
    """Return `texts`, {option: text}, without `node`, for which a sample has HOSTNAME."""
    assert texts['node'] == 'HOSTNAME'
    return {name: text for name, text in texts.items() if name != 'node'}


def section_text(section):
    """Return the text that the sample has below the heading of `section`, one of SECTIONS."""
    return section.sample.read_text().split(f'\n{section.begin}\n')[1].split(section.end)[0]


def commented(text):
    """Return {option: value} of the commented-out options in `text`."""
    return dict(re.findall(r'^# (\w+) =[ ]?(.*)$', text, re.MULTILINE))


def faults_in_sample(text, table):
    """Return a sentence for each option that `text` lacks, has besides `table`, or leaves unclear.

    The paragraph above an option must have nine words or more, and name the option's unit.
    """
    present = commented(text)
    faults = [f'{name}: not in the sample' for name in table if name not in present]
    faults += [f'{name}: no such option' for name in present if name not in table]
    for name in present.keys() & table.keys():
        paragraph = text[:text.index(f'# {name} =')].rstrip().split('\n\n')[-1]
        if len(paragraph.split()) <= 8:
            faults.append(f'{name}: the sample does not explain it')
        if table[name].unit not in ' '.join(paragraph.replace('#', '').split()).lower():
            faults.append(f'{name}: the sample does not name the unit, {table[name].unit}')
    return faults


@pytest.mark.parametrize('section', SECTIONS.values(), ids=SECTIONS)
def test_the_sample_explains_every_option_and_no_other(section):
    assert [] == faults_in_sample(section_text(section), section.table)
    assert len(section.table) == len(faults_in_sample('', section.table))


@pytest.mark.parametrize('section', SECTIONS.values(), ids=SECTIONS)
def test_the_sample_has_every_option_at_its_default(section):
    texts = commented(section_text(section)) | (
        {'key': ''} if section is SECTIONS['lb_status'] else {})
    assert section.default == section.read(texts)


@pytest.mark.parametrize('section', SECTIONS.values(), ids=SECTIONS)
def test_every_option_has_a_parser_and_a_stated_purpose(section):
    assert all(callable(one.parse) and one.reason for one in section.table.values())


# What else the samples promise.


def test_the_proxys_sample_uses_the_app_and_filters_of_swift_lb():
    parser = configparser.ConfigParser()
    parser.read(PROXY)
    assert parser['app:proxy-server']['use'] == 'egg:swift-lb#proxy'
    assert parser['filter:lb_status']['use'] == 'egg:swift-lb#lb_status'


def test_the_agent_reads_the_unedited_sample_as_its_defaults():
    assert agent.read(SERVER) == agent.AgentOptions()


def test_the_sample_lists_every_policy_of_the_dispatcher():
    text, rest = section_text(SECTIONS['lb_dispatcher']).split('# policy = ')
    assert sorted(BACKEND_POLICIES) == sorted(re.findall(r'^#   (\w+) ', text, re.MULTILINE))
    names = re.findall(r'^#   (\w+(?:, \w+)*) ', rest.partition('# cluster_policy = ')[0],
                       re.MULTILINE)
    assert sorted(CLUSTER_POLICIES) == sorted(', '.join(names).split(', '))


def test_the_sample_pipelines_have_the_filters_of_swift_lb_in_valid_places():
    plain, whole = (line.split() for line in re.findall(
        r'^#? ?pipeline = (.*)$', PROXY.read_text(), re.MULTILINE))
    assert [name for name in whole if name not in ('lb_dispatcher', 'lb_image')] == plain
    entries = [(name, name.replace('-', '_')) for name in whole]
    assert {'lb_status', 'lb_dispatcher', 'lb_image'} <= set(whole)
    assert [] == place.faults(entries, 'x') + place.image_faults(entries, 'x')


def test_dns_needs_values_of_the_options_zone_proxies_and_ns(tmp_path):
    path = tmp_path / 'lb-server.conf'
    path.write_text(SERVER.read_text().replace(f'\n{DNS_LINE}\n', '\n[lb-dns]\n'))
    with pytest.raises(ConfigError) as error:
        dns.read(path)
    assert [f'{path}, [lb-dns], {name}: must be set' for name in ('zone', 'proxies', 'ns')] == [
        fault.partition(', to ')[0] for fault in error.value.faults]


def test_an_unedited_copy_of_the_sample_serves_no_dns():
    assert NameServer(SERVER)()['configured'] is False


@pytest.mark.parametrize(('name', 'table'), [
    (AGENT, agent.AGENT_OPTIONS), (DNS, dns.OPTIONS), (IMAGE, image.OPTIONS)])
def test_conf_file_names_has_every_option_of_all_daemons(name, table):
    assert set(table) == set(NAMES[name])
