"""The conf files of container-sync, as Swift itself reads them."""
import logging
import pathlib

import pytest
from swift.common.container_sync_realms import ContainerSyncRealms

from swift_lb.lab import conf, sync
from swift_lb.lab.network import servers
from swift_lb.lab.spec import LabSpec

SITES = [('ksu', '198.18.1'), ('ucsb', '198.18.2')]
LAB = pathlib.Path('/lab')


@pytest.mark.parametrize(('spec', 'at'), [
    ({}, '198.18.2.1:8080'), ({'port': 9000}, '198.18.2.1:9000'),
    ({'dns': True}, '198.18.2.201:8080')])
def test_swift_finds_the_proxy_of_each_site_in_the_realm(tmp_path, spec, at):
    path = tmp_path / sync.REALMS
    path.write_text(conf.render(sync.realms(LabSpec(sync=True, **spec), SITES)))
    realms = ContainerSyncRealms(str(path), logging.getLogger())
    assert f'http://{at}/v1/' == realms.endpoint(sync.REALM, 'ucsb')
    assert ['KSU', 'UCSB'] == sorted(realms.clusters(sync.REALM))
    assert realms.key(sync.REALM)


def test_a_cluster_of_the_realm_is_a_site_or_a_lab_without_sites():
    assert 'mine' == sync.cluster_name(LabSpec(name='mine'), 1)
    spec = LabSpec(name='mine', site='ksu,ucsb', regions=2)
    assert ['ksu', 'ucsb'] == [sync.cluster_name(spec, region) for region in (1, 2)]


def test_the_daemon_has_the_address_and_the_devices_of_its_container_server():
    spec = LabSpec(sync=True, site='ksu,ucsb', regions=2)
    daemons = [one for one in servers(spec, ('198.18.1', '198.18.2'), False) if one.kind == 'sync']
    assert ['container-sync-1', 'container-sync-2'] == [one.name for one in daemons]
    text = conf.sync_conf(LAB, daemons[1], spec)
    for line in ('bind_ip = 198.18.2.2', 'bind_port = 6201', 'devices = /lab/data/container-2',
                 'interval = 1', 'internal_client_conf_path = /lab/etc/internal-client.conf'):
        assert f'\n{line}\n' in text


def test_a_lab_without_sync_has_no_daemon():
    assert 'sync' not in {one.kind for one in servers(LabSpec(), ('127.64.0',), True)}
