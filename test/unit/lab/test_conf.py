"""The conf files that a lab writes for its proxies, agents and storage nodes."""
import configparser
import pathlib

import pytest

from swift_lb.lab import conf
from swift_lb.lab.network import Server
from swift_lb.lab.spec import LabSpec

PROXY = Server('proxy-1', 'proxy', '127.64.0.1', 8080)


def parsed(text):
    parser = configparser.RawConfigParser()
    parser.optionxform = str
    parser.read_string(text)
    return parser


def proxy(memcached=None, **spec):
    return parsed(conf.proxy_conf(pathlib.Path('/lab'), PROXY, LabSpec(**spec), memcached))


def own(result, section):
    """Return the options of `section`, without those that it inherits from [DEFAULT]."""
    return {name: value for name, value in result[section].items() if name not in result.defaults()}


def test_proxy_options_are_written_to_their_sections():
    result = proxy(ec=True, proxy_options={
        'lb_policy': 'shuffle', 'policy:1:lb_policy': 'lb_rlt', 'DEFAULT:log_level': 'DEBUG'})
    assert result['app:proxy-server']['lb_policy'] == 'shuffle'
    assert result['proxy-server:policy:1']['lb_policy'] == 'lb_rlt'
    assert result['DEFAULT']['log_level'] == 'DEBUG'


@pytest.mark.parametrize('app', ['egg:swift-lb#proxy', 'egg:swift#proxy'])
@pytest.mark.parametrize('memcached', [None, '127.64.0.2:11211'])
def test_tempauth_needs_memcached_and_lb_status_needs_our_app(app, memcached):
    result = proxy(memcached, app=app)
    pipeline = result['pipeline:main']['pipeline'].split()
    assert ('tempauth' in pipeline) == ('cache' in pipeline) == bool(memcached)
    assert ('lb_status' in pipeline) == (app == 'egg:swift-lb#proxy')
    assert result['app:proxy-server']['use'] == app
    assert all(f'filter:{name}' in result for name in pipeline[:-1])


def test_the_book_that_workers_share_is_in_the_labs_directory():
    assert '/lab/run/proxy-1.book' == proxy()['app:proxy-server']['lb_book']
    assert 'worker' == proxy(proxy_options={'lb_book': 'worker'})['app:proxy-server']['lb_book']
    assert 'lb_book' not in proxy(app='egg:swift#proxy')['app:proxy-server']


def test_the_dispatcher_filter_has_agent_conf_and_given_options():
    result = proxy(dispatch=True, proxy_options={'filter:lb_dispatcher:policy': 'random'})
    pipeline = result['pipeline:main']['pipeline'].split()
    assert pipeline[pipeline.index('proxy-logging') + 1] == 'lb_dispatcher'
    assert own(result, 'filter:lb_dispatcher') == {
        'use': 'egg:swift-lb#lb_dispatcher', 'lb_conf': '/lab/etc/agent-1.conf',
        'book': '/lab/run/proxy-1.book',
        'policy': 'random'}
    for spec in ({}, {'dispatch': True, 'app': 'egg:swift#proxy'}):
        assert 'lb_dispatcher' not in proxy(**spec)['pipeline:main']['pipeline']


@pytest.mark.parametrize('app', ['egg:swift-lb#proxy', 'egg:swift#proxy'])
def test_a_proxys_handicap_filter_follows_the_dispatcher(app):
    result = proxy('127.64.0.2:11211', handicap_proxies=True, dispatch=True, app=app)
    pipeline = result['pipeline:main']['pipeline'].split()
    at = pipeline.index('lb_handicap')
    assert pipeline[at - 1] == ('lb_dispatcher' if 'swift-lb' in app else 'proxy-logging')
    assert pipeline[at + 1] == 'cache'
    assert own(result, 'filter:lb_handicap') == {
        'use': 'egg:swift-lb#lb_handicap', 'proxy': '1', 'rules': '/lab/etc/handicap-proxy-1.json'}
    assert 'lb_handicap' not in proxy()['pipeline:main']['pipeline']


def test_container_sync_stands_where_swifts_own_sample_has_it():
    result = proxy('127.64.0.2:11211', sync=True, name='mine', filters=('bulk',))
    pipeline = result['pipeline:main']['pipeline'].split()
    at = pipeline.index('container_sync')
    assert ['listing_formats', 'bulk'] == [pipeline[at - 1], pipeline[at + 1]]
    assert at < pipeline.index('tempauth')
    assert own(result, 'filter:container_sync') == {
        'use': 'egg:swift#container_sync', 'current': '//swift-lb/mine'}
    assert 'container_sync' not in proxy()['pipeline:main']['pipeline']


def test_proxies_prefer_their_own_region_only_if_asked():
    there = PROXY._replace(region=2)
    spec = {'regions': 2, 'site': 'ksu,ucsb'}
    result = parsed(conf.proxy_conf(pathlib.Path('/lab'), there, LabSpec(**spec), None))
    assert not {'sorting_method', 'read_affinity'} & {*result['app:proxy-server']}
    result = parsed(conf.proxy_conf(pathlib.Path('/lab'), there,
                                    LabSpec(**spec, read_affinity=True), None))
    assert ('affinity', 'r2=100') == tuple(
        result['app:proxy-server'][name] for name in ('sorting_method', 'read_affinity'))


def test_dns_shows_its_page_to_lab_up_which_may_be_outside_of_its_site():
    dns = Server('dns-2', 'dns', '198.18.2.101', 6210, region=2)
    result = parsed(conf.daemon_conf(
        pathlib.Path('/lab'), dns, LabSpec(dns=True), ['198.18.2.101'],
        [PROXY._replace(ip='198.18.2.201')], []))
    assert conf.LABS_KEY == result['lb-dns']['http_key']


def test_the_agent_of_a_region_belongs_to_the_cluster_of_its_site():
    there = Server('agent-2', 'agent', '198.18.2.101', 6209, region=2)
    result = parsed(conf.daemon_conf(
        pathlib.Path('/lab'), there, LabSpec(regions=2, site='ksu,ucsb', agents=True),
        ['198.18.2.101'], [], [('ksu', '198.18.1'), ('ucsb', '198.18.2')]))
    assert '198.18.2.101' == result['lb-agent']['peers']
    assert {'name': 'ucsb', 'region': '2', 'url': 'http://198.18.2.1:8080',
            'trust': '198.18.1.1, 198.18.2.1', 'peers': 'ksu@198.18.1.101, ksu@198.18.1.102, '
            'ucsb@198.18.2.101, ucsb@198.18.2.102'}.items() <= {*result['lb-cluster'].items()}


def agent(**spec):
    server = Server('agent-2', 'agent', '127.64.0.102', 6209)
    return parsed(conf.daemon_conf(pathlib.Path('/lab'), server, LabSpec(agents=True, **spec),
                                   ['127.64.0.101', '127.64.0.102'], []))


def test_an_agents_conf_has_the_options_of_the_lab_and_the_user():
    options = own(agent(), 'lb-agent')
    assert set(conf.OF_THE_LAB) == set(options)
    assert options | {'metric': 'requests', 'interval': '3'} == own(
        agent(agent_options={'metric': 'requests', 'interval': 3}), 'lb-agent')


def test_swift_conf_names_the_storage_policies():
    result = parsed(conf.swift_conf(LabSpec(ec=True, second_policy=True)))
    assert [result[f'storage-policy:{index}']['name'] for index in range(3)] == [
        'gold', 'ec21', 'silver']


def storage(kind='object', **spec):
    server = Server(f'{kind}-1', kind, '127.64.0.11', 6200)
    return parsed(conf.storage_conf(pathlib.Path('/lab'), server, LabSpec(**spec)))


def test_a_storage_node_reports_load_that_includes_its_handicap():
    result = storage()
    assert ['lb_report', 'lb_handicap', 'object-server'] == (
        result['pipeline:main']['pipeline'].split()[-3:])
    assert 'egg:swift-lb#lb_report' == result['filter:lb_report']['use']
    result = storage(reports=False)
    assert 'healthcheck recon lb_handicap object-server' == result['pipeline:main']['pipeline']
    assert 'filter:lb_report' not in result


def test_only_object_servers_get_the_number_of_workers():
    assert ['2', '0', '0'] == [storage(kind, object_workers=2)['DEFAULT']['workers']
                               for kind in ('object', 'account', 'container')]
