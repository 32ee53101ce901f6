"""Containers whose reads leave stay known, since they are asked for again."""
import pytest
from support.cluster_proxy import HERE, reply
from support.fallbacks import broken
from support.scripted_server import ScriptedServer, always

from swift_lb.concurrency import sleep
from swift_lb.dispatch.containers import FRESH, ContainerFacts
from swift_lb.proxy.dispatch import renewals
from swift_lb.proxy.dispatch.renewals import AGAIN

ANYWHERE = ContainerFacts(('ucsb',), immutable=True)


@pytest.fixture
def asked(monkeypatch):
    """Return a list of the environments by which containers are asked for; they are ANYWHERE."""
    envs = []
    monkeypatch.setattr(renewals, 'container_facts', lambda env, _app, cache_only: (
        envs.append(env), ANYWHERE)[1])
    return envs


@pytest.fixture
def proxy(make, facts, still):
    """Return a ClusterProxy that has served reads, and whose reads of ANYWHERE leave early."""
    facts[0] = ANYWHERE
    made = make('always_fetch')
    for _sample in range(40):
        made.filter.served.curve.add(0, 2.0, still.now)
    return made


def test_a_container_whose_reads_leave_stays_known_and_is_asked_for_once_in_half_a_minute(
        proxy, still, asked):
    with ScriptedServer(always(reply())) as there:
        proxy.know(there)
        proxy.ask()         # by which the container is learnt
        for number in range(4):
            for _read in range(3):
                assert b'there' == proxy.ask()[2]
                sleep(0.0)
            assert number == len(asked)
            still.now += FRESH / 2
            proxy.know(there)
    assert 12 == proxy.counts['fetched ucsb early']
    assert asked[0]['PATH_INFO'] == '/v1/a/c/o'
    assert not {'HTTP_HOST', 'swift.infocache'} & set(asked[0])


def test_a_container_that_is_lost_meanwhile_is_asked_for_now_and_then_until_it_is_unknown(
        proxy, still, monkeypatch):
    asked = []
    monkeypatch.setattr(renewals, 'container_facts',
                        lambda env, _app, cache_only: asked.append(env))
    with ScriptedServer(always(reply())) as there:
        proxy.know(there)
        proxy.ask()
        still.now += FRESH / 2
        proxy.know(there)
        for number in (1, 1, 2):
            assert b'there' == proxy.ask()[2]
            sleep(0.0)
            assert number == len(asked)
            still.now += AGAIN / 2
        still.now += FRESH / 2
        proxy.know(there)
        proxy.headers = {}
        assert HERE == proxy.ask()[2]


def test_a_renewal_that_fails_is_reported_and_harms_no_read(proxy, still, monkeypatch):
    monkeypatch.setattr(renewals, 'container_facts', broken)
    with ScriptedServer(always(reply())) as there:
        proxy.know(there)
        proxy.ask()
        still.now += FRESH / 2
        proxy.know(there)
        assert b'there' == proxy.ask()[2]
        sleep(0.0)
    assert 1 == proxy.counts['fallbacks renewals']


def test_a_read_that_has_left_is_not_served_again_if_its_container_cannot_be_renewed(
        proxy, monkeypatch):
    with ScriptedServer(always(reply())) as there:
        proxy.know(there)
        proxy.ask()
        monkeypatch.setattr(proxy.filter._reads._containers, 'is_old', broken)
        assert b'there' == proxy.ask()[2]
    assert 1 == len(proxy.served)
    assert 1 == proxy.counts['fallbacks renewals']
