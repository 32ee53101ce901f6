"""A proxy without a decoder, clients that can use no point that there is, and what lb_why tells."""
import json
import logging

import pytest
from support.jpeg2000 import encoded, noise
from swift.common.swob import Request, Response

from swift_lb.proxy.dispatch.image_routes import ROUTES
from swift_lb.proxy.dispatch.incoming import DELEGATED, LACKS
from swift_lb.proxy.image.decoder import DecoderError
from swift_lb.proxy.image.filter import CLIENT, ImageFilter
from swift_lb.proxy.image.options import ImageFilterOptions
from swift_lb.proxy.image.why import AUTHORIZE, USER

IMAGE = encoded(noise('L', 300, 300))


class Asker:
    """Asks an ImageFilter, whose decoder answers quotes if it `has_decoder`, for a part."""

    elsewhere = ()

    def __init__(self, has_decoder):
        def swift(env, start_response):
            return Response(request=Request(env), body=IMAGE, content_type='image/j2c', headers={
                'Etag': 'e'}, conditional_response=True)(env, start_response)
        self._filter = ImageFilter(swift, ImageFilterOptions(), {}, logging.getLogger())
        self._filter._parts._decoder, self._has_decoder = self, has_decoder
        self.lacking, self.asked = 0, []

    def quote(self, _keys, _parts, _saved):
        """Answer a quote, as a Decoder does."""
        if not self._has_decoder:
            raise DecoderError('absent')
        return {'wait': 0.0, 'have': {}}

    def kept(self, *_what):
        """Return None."""

    keep = kept

    def lacks(self):
        """Count that no decoder answers."""
        self.lacking += 1

    def answer(self, asked, costs, *_others):
        """Note the PointCosts, as ImageRoutes; return None: no other cluster answers."""
        self.asked.append(costs)

    def described(self, _asked, _costs, _side, _server):
        """Return `elsewhere`, as ImageRoutes describe themselves."""
        return self.elsewhere

    def made(self):
        """Do nothing."""

    def get(self, client=None, query='', **more):
        """Return the swob Response to a GET of a part."""
        said = {} if client is None else {CLIENT: client}
        return Request.blank(f'/v1/a/c/o.j2k?lb_region=0,0,9,9{query}', environ={
            LACKS: self.lacks, ROUTES: self} | said | more).get_response(self._filter)


def test_without_a_decoder_other_clusters_are_asked_and_peers_are_told_later():
    asker = Asker(False)
    answer = asker.get()
    assert ('D2', 1, [[]]) == (answer.headers['X-Lb-Point'], asker.lacking, asker.asked)


def test_without_a_decoder_a_peer_is_refused_and_no_other_cluster_asked():
    asker = Asker(False)
    answer = asker.get(**{DELEGATED: True})
    assert ('undecoded', 421) == (answer.headers['X-Lb-Refused'], answer.status_int)
    assert (0, []) == (asker.lacking, asker.asked)


@pytest.mark.parametrize('client', ['points=D3; pixels=1e6', 'points=D1,D2'])
def test_a_client_that_can_use_no_point_does_not_make_the_proxy_one_without_a_decoder(client):
    asker = Asker(True)
    for more in ({}, {DELEGATED: True}):
        assert asker.get(client, **more).headers['X-Lb-Point'] == 'D2'
    assert asker.lacking == 0


@pytest.mark.parametrize(('auth', 'told'), [
    ({AUTHORIZE: bool}, False), ({AUTHORIZE: bool, USER: 'a,a:u'}, True), ({}, True)])
def test_clusters_and_decoders_are_told_only_to_who_is_known(auth, told):
    asker = Asker(True)
    asker.elsewhere = [{'cluster': 'us.central.ksu'}]
    page = json.loads(asker.get(query='&lb_why=true', **auth).body)
    assert (told, told) == (page['routes'] == asker.elsewhere, page['decoder'] is not None)
    assert [one['point'] for one in page['points']] == ['D4']


@pytest.mark.parametrize(('elsewhere', 'instead'), [([], 'D2'), ([{'cluster': 'eu'}], None)])
def test_what_a_client_of_pixels_gets_without_a_decoder_is_told(elsewhere, instead):
    asker = Asker(False)
    asker.elsewhere = elsewhere
    page = json.loads(asker.get(query='&lb_why=true').body)
    assert ([], instead, elsewhere) == (page['points'], page['instead'], page['routes'])
