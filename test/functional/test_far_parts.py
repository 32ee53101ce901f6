"""Two regions on a real link: one learns which parts of images the other one keeps."""
import itertools
import json
from urllib.request import Request, urlopen

import pytest
from PIL import Image
from support.cluster import SwiftCluster, eventually
from support.jpeg2000 import encoded, noise
from support.wide_area import missing, sites_with_labs

from swift_lb.lab.spec import LabSpec

pytestmark = pytest.mark.skipif(reason := missing(), reason=str(reason))

FILE = '[link ksu umd]\nrtt = 20ms\nrate = 20M\n'
SITES = 'ksu,umd'
PART = 'lb_region=100,0,300,300'
LARGE = 'lb_region=0,0,4000,4000'   # decoded in some 0.4 s, of few bytes
KEY = 'of the status pages'


def asked(lab, region, query, name='a'):
    """Return (headers, body) of a GET of an image by the proxy of a region.

    It has a token if it asks for the choice: else that would not be told of clusters.
    """
    account = lab.storage_url().removeprefix(lab.endpoint)
    url = f'{lab.endpoints[region - 1]}{account}/maps/{name}.j2k?{query}'
    headers = {'X-Auth-Token': lab.token()} if 'lb_why' in query else {}
    with urlopen(Request(url, headers=headers), timeout=60) as answer:
        return answer.headers, answer.read()


def seconds_of_decoder(lab):
    """Return {route: t_server} of the routes to the cluster umd, as the proxy of ksu has them.

    The image is read in both first: by such reads they know the container, and their times.
    """
    for region in (1, 2):
        asked(lab, region, '')
    document = json.loads(asked(lab, 1, f'{PART}&lb_why=true')[1])
    return {route['route']: route['terms'].get('server') for route in document['routes']
            if route['cluster'] == 'umd' and route['terms']}


@pytest.fixture(scope='module')
def lab():
    """A Lab with regions in ksu and umd, and two images: a small one, and a large one of few bytes.
    """
    with sites_with_labs(FILE, [LabSpec(
            name='parts', site=SITES, nodes=1, regions=2, replicas=2, dispatch=True, images=True,
            proxy_options={'filter:lb_dispatcher:key': KEY}, agent_options={'http_key': KEY})
                          ]) as labs:
        cluster = SwiftCluster(labs[SITES])
        cluster.put('/maps', X_Container_Read='.r:*')
        for name, image in (('a', noise('L', 800, 700)),
                            ('large', Image.linear_gradient('L').resize((4000, 4000)))):
            cluster.put(f'/maps/{name}.j2k', encoded(image), Content_Type='image/j2c')
        yield cluster.lab


def test_a_part_that_another_region_keeps_needs_no_decoder_there(lab):
    assert eventually(lambda: seconds_of_decoder(lab))
    assert all(seconds_of_decoder(lab).values())
    assert asked(lab, 2, PART)[0]['X-Lb-Point'] == 'D4'
    assert eventually(lambda: set(seconds_of_decoder(lab).values()) == {0.0})


def order(lab, query):
    """Return [(cluster, whether it keeps the part)] of the routes of a part, the best first."""
    asked(lab, 2, '')
    document = json.loads(asked(lab, 1, f'{query}&lb_why=true', 'large')[1])
    return [(route['cluster'], route['kept']) for route in document['routes']]


def page(url):
    """Return the JSON document of a page of a proxy or an agent."""
    with urlopen(Request(url, headers={'X-Lb-Status-Key': KEY, 'X-Lb-Key': KEY}), timeout=60
                 ) as answer:
        return json.load(answer)


def test_a_part_that_another_region_keeps_is_fetched_and_else_made_here(lab):
    widths = itertools.count(3600)

    def stays():        # once both have measured what large parts take
        query = f'lb_region=0,0,{next(widths)},4000'
        for region in (1, 2):
            asked(lab, region, query, 'large')
        return order(lab, LARGE) == [('ksu', False), ('umd', False)]

    def counts(region):
        return page(f'{lab.endpoints[region - 1]}/lb/dispatch')['counts']

    def made_there():       # the other region may have it made here, if it is busy
        query, before = f'lb_region=0,0,{next(widths)},4000', counts(2).get('fetched ksu image')
        part = asked(lab, 2, query, 'large')[1]
        return counts(2).get('fetched ksu image') == before and (query, part)
    assert eventually(stays)
    before = counts(1).get('fetched umd image', 0)
    query, part = eventually(made_there)
    assert eventually(lambda: order(lab, query) == [('umd', True), ('ksu', False)])
    assert part == asked(lab, 1, query, 'large')[1]
    assert before + 1 == counts(1)['fetched umd image']
    assert counts(1)['cluster_digests umd pulled'] >= 1


def test_an_agent_tells_what_the_proxies_of_its_host_have_answered(lab):
    def images():
        asked(lab, 2, PART)
        return page(f'{lab.agents[1]}/v1/cluster')['images']
    found = eventually(lambda: (now := images()) and now['image_hits'] and now['image_d4'] and now)
    assert 0 < found['image_hits'] <= 1
    assert found['image_saved'] > 0
    assert found['image_d2'] == 0
