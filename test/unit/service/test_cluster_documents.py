"""The entry of another cluster in /v1/clusters has what the agent knows of it, or null."""
import pytest
from support.agent_stub import other_cluster as stub

from swift_lb.model import (
    ClusterLink,
    Clusters,
    ClusterSummary,
    HeardCluster,
    ImageState,
    TimeForecast,
)
from swift_lb.service.documents import other_cluster
from swift_lb.service.sent_reads import SentRates

SUMMARY = ClusterSummary('ucsb', 'n', 1, 1, 1.7e9, 2.0, 'https://ucsb.example', 3, 0.32, 0.25,
                         ('10.1.0.1:8080',), credits=(('ksu', 40.0), ('eu', 9.0)), region=2,
                         image=ImageState(0.25, 8, 8e-8, 1.4e-7, 5e-9, 1.6e-7))
KNOWN = Clusters('ksu', {'ucsb': HeardCluster(SUMMARY, 99.0)},
                 {'ucsb': ClusterLink('ucsb', 0.08, 0.002, 0.01, 2.4e6, 1e5)}, ('ucsb', 'eu'),
                 {'ucsb': {'small': TimeForecast(0.012, 0.001, 0.0)}})


def test_a_cluster_has_its_link_credits_region_and_times():
    entry = other_cluster('ucsb', KNOWN, True, 12.0, 100.0)
    assert ('up', 1.0, 2, 40.0, 12.0, {'small': 0.012}) == tuple(
        entry[name] for name in ('state', 'age', 'region', 'credit', 'granted', 'times'))
    assert (0.08, 0.002, 0.01, 2.4e6, 1e5) == tuple(entry[name] for name in (
        'rtt', 'rtt_error', 'lost', 'bandwidth', 'bandwidth_error'))
    assert {'wait': 0.25, 'workers': 8, 'decode': 8e-8, 'png': 1.4e-7, 'raw': 5e-9,
            'coefficients': 1.6e-7} == entry['image']


def test_a_cluster_that_was_never_heard_has_nulls():
    entry = other_cluster('eu', KNOWN, False, 0.0, 100.0)
    assert {name for name, value in entry.items() if value is None} == {
        'age', 'nodes', 'load', 'least_load', 'region', 'credit', 'rtt', 'rtt_error', 'lost',
        'bandwidth', 'bandwidth_error', 'image'}


@pytest.mark.parametrize('name', ['ucsb', 'eu'])
def test_the_stub_of_an_agent_has_the_same_fields(name):
    assert stub(name).keys() == {*other_cluster(name, KNOWN, True, 0.0, 100.0),
                                 *SentRates._fields}
