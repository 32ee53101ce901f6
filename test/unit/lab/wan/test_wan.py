"""The sites in which a lab of one or more regions runs."""
import pytest

from swift_lb.errors import LabError
from swift_lb.lab.lab import Lab
from swift_lb.lab.spec import LabSpec
from swift_lb.lab.wan import namespaces, sites, state, wan


@pytest.fixture
def three(monkeypatch):
    """A wide-area network of the sites ksu, ucsb and mit, as far as its state says."""
    parsed = sites.parse('[link ksu ucsb]\n[link ucsb mit]\n', 'x')
    monkeypatch.setattr(namespaces, 'check', lambda: None)
    monkeypatch.setattr(state, 'read', lambda: (parsed, None))


def test_the_regions_of_a_lab_are_on_the_networks_of_their_sites(three):
    assert [('mit', '198.18.3'), ('ksu', '198.18.1')] == [
        *wan.networks_of(('mit', 'ksu'), 2).items()]
    assert ['ksu', 'ucsb', 'mit'] == [*wan.networks_of((), 3)]


def test_a_site_that_is_unknown_or_must_be_chosen_is_one_sentence(three):
    with pytest.raises(LabError, match=r"^there is no site 'usc'; the sites are ksu, ucsb, mit$"):
        wan.networks_of(('ksu', 'usc'), 2)
    with pytest.raises(LabError, match=r'^2 regions need 2 sites: choose with --site A,B from the '
                                       'sites ksu, ucsb, mit$'):
        Lab.up(LabSpec(regions=2))


def test_regions_without_a_wide_area_network_are_one_sentence(monkeypatch):
    monkeypatch.setattr(namespaces, 'check', lambda: None)
    monkeypatch.setattr(state, 'read', lambda: None)
    with pytest.raises(LabError, match=r'^no wide-area network is up; .* starts one$'):
        Lab.up(LabSpec(regions=2))


def test_regions_without_root_are_one_sentence(monkeypatch):
    monkeypatch.setattr(namespaces.os, 'geteuid', lambda: 1000)
    with pytest.raises(LabError, match=r'^only root can make the network namespaces of sites$'):
        Lab.up(LabSpec(regions=2))
