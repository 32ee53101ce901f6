"""What a real swift.proxy.server.Application knows of a container, after a read of an object."""
import pytest
from support.scripted_node import NodeAnswer
from support.stored_object import everything
from swift.common.swob import Request

from swift_lb.dispatch.containers import ContainerFacts
from swift_lb.proxy.seam import container_facts


def of_a_read(made, headers, status=200, path='/v1/a/c/o'):
    """Return the ContainerFacts after a read of `path`, and whether no node was asked for them.

    `headers` and `status` are what the container's servers answer.
    """
    usual = everything(b'bytes')

    def script(request):
        answer = usual(request)
        if request.path.count('/') == 4:        # /DEVICE/PARTITION/ACCOUNT/CONTAINER
            return NodeAnswer(status, {**answer.headers, **headers}, bodiless=True)
        return answer
    for node in made.nodes:
        node.script = script
    read = Request.blank(path)
    read.get_response(made.app).body    # noqa: B018  the body is read
    before = made.asked()
    return container_facts(read.environ, made.app), before == made.asked()


@pytest.mark.parametrize(('headers', 'facts'), [
    ({}, ContainerFacts(())),
    ({'X-Container-Meta-Lb-Clusters': 'us.ksu, us.ucsb'}, ContainerFacts(('us.ksu', 'us.ucsb'))),
    ({'X-Container-Meta-Lb-Clusters': 'none'}, ContainerFacts(('none',))),
    ({'X-Backend-Storage-Policy-Index': '1'}, ContainerFacts((), policy=1)),
    ({'X-Container-Meta-Lb-Immutable': 'true'}, ContainerFacts((), immutable=True)),
    ({'X-Container-Meta-Lb-Immutable': 'no'}, ContainerFacts(())),
    ({'X-Container-Meta-Lb-Redirect': 'yes'}, ContainerFacts((), redirects=True)),
    ({'X-Container-Meta-Lb-Clusters': 'us.ksu', 'X-Container-Sync-To': '//REALM/UCSB/a/c'},
     ContainerFacts(('us.ksu', 'ucsb')))])
def test_the_headers_of_a_container_are_known_after_a_read_without_another_request(
        cluster, headers, facts):
    assert (facts, True) == of_a_read(cluster(*[NodeAnswer()] * 3), headers)


@pytest.mark.parametrize(('sync_to', 'path', 'clusters'), [
    ('//realm/ucsb/a/c', '/v1/a/c/o', ('ucsb',)),
    ('//realm/ucsb/a/c/', '/v1/a/c/o', ('ucsb',)),          # Swift takes the slash off
    ('//realm/ucsb/a/c', '/v1/a/c/photos/o', ('ucsb',)),
    ('//realm/ucsb/a/caf%C3%A9%20c', '/v1/a/caf%C3%A9%20c/o', ('ucsb',)),
    ('//realm/ucsb/a/other', '/v1/a/c/o', ()),
    ('//realm/ucsb/another/c', '/v1/a/c/o', ()),
    ('//realm/ucsb/a', '/v1/a/c/o', ()),
    ('//realm/ucsb/v1/a/c', '/v1/a/c/o', ()),
    ('https://10.2.0.1/v1/a/c', '/v1/a/c/o', ())])
def test_a_synced_container_is_in_the_other_cluster_only_under_the_same_names(
        cluster, sync_to, path, clusters):
    made = cluster(*[NodeAnswer()] * 3)
    facts, _cached = of_a_read(made, {'X-Container-Sync-To': sync_to}, path=path)
    assert clusters == facts.clusters


def test_a_container_that_is_missing_or_not_cached_is_unknown(cluster):
    made = cluster(*[NodeAnswer()] * 3)
    assert (None, True) == of_a_read(made, {}, status=404)
    assert container_facts(Request.blank('/v1/a/another/o').environ, made.app) is None


def test_what_is_not_cached_is_asked_for_if_that_is_wanted(cluster):
    made = cluster(*[NodeAnswer()] * 3)
    before = made.asked()
    env = Request.blank('/v1/a/another/o').environ
    assert container_facts(env, made.app, cache_only=False) is not None
    assert made.asked() != before
