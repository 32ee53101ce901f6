"""Parts of images leave for another cluster, a ScriptedServer here, if that has them sooner."""
from types import SimpleNamespace

import pytest
from support.client_env import env_of
from support.cluster_proxy import HERE, NEWER, TIMES, VERSION, ClusterProxy, follower, reply
from support.scripted_server import ScriptedServer, always

from swift_lb.chains.cache.keys import Source
from swift_lb.chains.chain import D4, PNG, Work
from swift_lb.dispatch.content import SMALL
from swift_lb.dispatch.cost import Way
from swift_lb.dispatch.points import ClientSide, PointCost, ServerSide
from swift_lb.model import LOCAL, ImageState, Route
from swift_lb.proxy.dispatch.image_routes import ROUTES

STATE = ImageState(0.5, 1, 1e-7, 0.0, 0.0, 0.0)
WORK = Work(D4, PNG, 1000, 1, 1000, 1_000_000, 0, 0)       # 0.1 s of a decoder
SIDE, SERVER = ClientSide((D4,), Way(0.001, 1e9), None), ServerSide(0.0, 0.005, 1e8)
QUERY = 'lb_region=0,0,9,9'
PART = {'X-Lb-Point': 'D4', 'X-Lb-Object-Etag': 'd41d8', 'Etag': '"part"'}


class ImageProxy(ClusterProxy):
    """A ClusterProxy whose app makes parts of images in `seconds`, as predicted; None: it cannot.
    """

    seconds = 5.0

    def app(self, env, start_response):
        """Ask the ImageRoutes, as the filter lb_image does."""
        routes = env.get(ROUTES)
        asked = SimpleNamespace(works=[WORK], keys={}, kept={}, source=Source(
            'a', 'c', 'o', 'd41d8', VERSION['X-Timestamp']))
        cost = [] if self.seconds is None else [PointCost(WORK, 0.0, self.seconds, 0.0, 0.0)]
        self.described = routes and routes.described(asked, cost, SIDE, SERVER)
        body = routes and routes.answer(asked, cost, SIDE, SERVER, env, start_response)
        if body is not None:
            return body
        routes and routes.made()
        return super().app(env, start_response)


@pytest.fixture
def proxy(tmp_path):
    """Return an ImageProxy."""
    return ImageProxy(tmp_path, cluster_policy='adaptive')


def body_of(proxy, there, **known):
    """Return the body of an answer for a part, when the cluster ucsb is known by `known`."""
    proxy.know(there, **{'image': STATE} | known)
    proxy.ask(env_of())         # by which the container is learnt
    return proxy.ask(env_of(query=QUERY))[2]


@pytest.mark.parametrize(('seconds', 'known', 'body'), [
    (5.0, {}, b'there'), (0.6, {}, HERE), (0.8, {'image': STATE._replace(wait=0.0)}, b'there'),
    (5.0, {'image': STATE._replace(wait=9.0)}, HERE), (5.0, {'image': None}, HERE),
    (5.0, {'times': {}}, b'there')])
def test_a_part_leaves_if_the_other_cluster_has_it_sooner(proxy, facts, seconds, known, body):
    proxy.seconds = seconds
    with ScriptedServer(always(reply(**PART))) as there:
        assert body == body_of(proxy, there, **known)
    assert (body == b'there') == proxy.counts.get('fetched ucsb image', 0)


def test_a_part_that_cannot_be_made_here_leaves_if_the_other_cluster_has_a_decoder(proxy, facts):
    proxy.seconds = None
    with ScriptedServer(always(reply(**PART))) as there:
        assert body_of(proxy, there, image=STATE._replace(wait=60.0)) == b'there'
        assert [('ucsb', 'fetch', 'D4')] == [
            (one['cluster'], one['route'], one['point']) for one in proxy.described]
        assert body_of(proxy, there, image=None) == HERE
        assert proxy.described == []


@pytest.mark.parametrize('headers', [PART | NEWER, {'Etag': '"d41d8"'}])
def test_only_a_part_of_the_version_that_is_here_is_used(proxy, facts, headers):
    with ScriptedServer(always(reply(**headers))) as there:
        assert body_of(proxy, there) == HERE
    assert proxy.counts['cluster_failures ucsb version'] == 1


def test_the_log_line_of_a_part_that_is_made_elsewhere_has_the_source_of_the_filter(proxy, facts):
    env = env_of(query=QUERY)
    with ScriptedServer(always(reply(**PART))) as there:
        body_of(proxy, there)
        assert proxy.ask(env)[2] == b'there'
    assert env['swift.source'] == 'LB'


@pytest.mark.parametrize('seconds', [0.6, 5.0])
def test_the_size_of_a_part_is_not_taken_for_that_of_the_object(proxy, facts, seconds):
    containers, proxy.seconds = proxy.filter._choice.router.containers, seconds
    with ScriptedServer(always(reply(**PART))) as there:
        proxy.know(there, image=STATE)
        proxy.ask(env_of(path='/v1/a/c/other'))     # by which the container is learnt
        proxy.ask(env_of(query=QUERY))
    assert containers._sizes == {'/v1/a/c/other': len(HERE)}


def test_a_redirect_of_a_part_has_what_was_predicted_there_and_how_much_sooner(tmp_path, facts):
    proxy = ImageProxy(tmp_path, cluster_policy='always_redirect')
    with ScriptedServer(always(reply(**PART))) as there:
        proxy.know(there, image=STATE)
        proxy.ask(env_of())
        headers = proxy.ask(follower(query=QUERY))[1]
    served, gain = headers['Location'].partition('lb_from=')[2].split('.')[3:5]
    # a wait of 0.5 s, 0.1 s of the decoder; 5 s here
    assert 600 <= int(served) < 700
    assert int(gain) == pytest.approx(5000 - int(served), abs=50)


def test_parts_are_measured_apart_from_other_reads(proxy, facts):
    router = proxy.filter._choice.router
    with ScriptedServer(always(reply(**PART))) as there:
        assert body_of(proxy, there) == b'there'
        proxy.seconds = 0.1
        assert body_of(proxy, there) == HERE
    reads = {route: figures.reads for route, figures in router.part_gains.figures(0.0).items()}
    assert (reads[Route('ksu', LOCAL)], sum(reads.values())) == (1, 2)
    assert router.work_away._there['ucsb'] == pytest.approx(0.0)


def test_why_has_the_routes_with_their_terms(proxy, facts):
    with ScriptedServer(always(reply(**PART))) as there:
        body_of(proxy, there)
    first, second = proxy.described
    assert ('ucsb', 'ksu') == (first['cluster'], second['cluster'])
    assert (False, False) == (first['kept'], second['kept'])
    assert first['terms']['head'] == pytest.approx(TIMES[SMALL].seconds)
    assert first['terms']['server'] == pytest.approx(0.6)
