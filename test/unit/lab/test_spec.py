"""A LabSpec of a lab that cannot be built is refused, with all of its faults."""
import dataclasses

import pytest

from swift_lb.errors import ConfigError
from swift_lb.lab.conf import AGENT_OPTIONS
from swift_lb.lab.spec import LabSpec


def test_a_lab_has_the_storage_policies_of_its_options():
    assert LabSpec().policies == {0: ('gold', 3)}
    assert LabSpec(ec=True, second_policy=True, replicas=2).policies == {
        0: ('gold', 2), 1: ('ec21', 3), 2: ('silver', 2)}


def test_all_faults_of_a_lab_spec_are_reported_together():
    with pytest.raises(ConfigError) as refused:
        LabSpec(name='../x', nodes=0, port=99999, app='egg:nova', timeout=0, ec=True,
                proxy_options={'a b': '1', 'policy:x:y': '2'})
    assert refused.value.faults == (
        "lab name '../x': must be 1 to 32 of a-z, 0-9 and -, the first not a -",
        'nodes = 0: the number of storage nodes must be 1 to 64',
        'port = 99999: must be 1 to 65000',
        'app = egg:nova: must be egg:swift-lb#proxy or egg:swift#proxy',
        'timeout = 0: must be more than 0 seconds',
        'replicas = 3: 0 nodes with 1 devices each hold at most 0',
        'ec: its 3 fragments need as many devices; this lab has 0',
        "proxy option 'a b': must be NAME, policy:INDEX:NAME, filter:FILTER:NAME or DEFAULT:NAME",
        "proxy option 'policy:x:y': must be NAME, policy:INDEX:NAME, filter:FILTER:NAME or "
        'DEFAULT:NAME')


@pytest.mark.parametrize(('spec', 'says'), [
    ({'regions': 2, 'site': 'ksu'}, 'site = ksu: must be as many different sites .* regions, 2'),
    ({'regions': 2, 'site': 'ksu,ksu'}, 'site = ksu,ksu: must be as many different sites'),
    ({'site': 'ksu,ucsb'}, 'site = ksu,ucsb: must be as many different sites .* regions, 1'),
    ({'site': ''}, 'site = : must be as many different sites'),
    ({'regions': 2, 'replicas': 1}, 'replicas = 1: 2 regions need one each at least'),
    ({'regions': 2, 'nodes': 1, 'replicas': 3}, 'replicas = 3: 2 nodes with 1 devices each hold'),
    ({'read_affinity': True}, 'read_affinity: needs two or more regions'),
])
def test_regions_that_cannot_be_built_are_refused(spec, says):
    with pytest.raises(ConfigError, match=f'^{says}'):
        LabSpec(**spec)


def test_each_region_of_a_lab_has_its_site_and_names_of_its_own():
    spec = LabSpec(regions=2, site='ksu, ucsb', nodes=1, replicas=2)
    assert [('ksu', '-1'), ('ucsb', '-2')] == [
        (spec.site_of(region), spec.suffix(region)) for region in (1, 2)]
    assert (None, '') == (LabSpec().site_of(1), LabSpec().suffix(1))


def test_an_option_of_an_unknown_filter_is_refused():
    LabSpec(proxy_options={'filter:proxy-logging:access_log_level': 'WARNING'})
    with pytest.raises(ConfigError, match=r'lb_dispacher:x.: the filters are catch_errors, '):
        LabSpec(proxy_options={'filter:lb_dispacher:x': '1'})


@pytest.mark.parametrize('name', ['no_such', 'a b', '', 'node', 'key', 'peers'])
def test_an_unknown_or_reserved_agent_option_is_refused(name):
    LabSpec(agents=True, agent_options={'metric': 'requests', 'interval': 3})
    with pytest.raises(ConfigError) as refused:
        LabSpec(agents=True, agent_options={name: '1'})
    assert [f'agent option {name!r}: must be one of {", ".join(AGENT_OPTIONS)}'] == [
        *refused.value.faults]


@pytest.mark.parametrize('user', ['agents', 'dns', 'dispatch'])
def test_agent_options_are_refused_in_a_lab_without_agents(user):
    LabSpec(agent_options={'metric': 'cpu'}, **{user: True})
    with pytest.raises(ConfigError, match='agent_options metric: this lab has no agents'):
        LabSpec(agent_options={'metric': 'cpu'})


def test_a_lab_keeps_its_agents_if_the_dispatcher_is_removed():
    spec = LabSpec(dispatch=True)
    assert spec.agents
    assert dataclasses.replace(spec, dispatch=False).agents


@pytest.mark.parametrize('spec', [{'workers': 2}, {'proxy_options': {'DEFAULT:workers': '4'}}])
def test_a_slowed_proxy_must_have_a_single_worker(spec):
    with pytest.raises(ConfigError, match=r'handicap_proxies: each of . workers would have slots'):
        LabSpec(handicap_proxies=True, **spec)
    LabSpec(handicap_proxies=True, proxy_options={'DEFAULT:workers': '0'})
