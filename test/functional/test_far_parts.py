"""Two regions on a real link: one learns which parts of images the other one keeps."""
import json
from urllib.request import Request, urlopen

import pytest
from support.cluster import SwiftCluster, eventually
from support.jpeg2000 import encoded, noise
from support.wide_area import missing, sites_with_labs

from swift_lb.lab.spec import LabSpec

pytestmark = pytest.mark.skipif(reason := missing(), reason=str(reason))

FILE = '[link ksu umd]\nrtt = 20ms\nrate = 20M\n'
SITES = 'ksu,umd'
PART = 'lb_region=100,0,300,300'


def asked(lab, region, query):
    """Return (headers, body) of a GET of the image by the proxy of a region."""
    account = lab.storage_url().removeprefix(lab.endpoint)
    url = f'{lab.endpoints[region - 1]}{account}/maps/a.j2k?{query}'
    with urlopen(Request(url), timeout=60) as answer:
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


def test_a_part_that_another_region_keeps_needs_no_decoder_there():
    with sites_with_labs(FILE, [LabSpec(name='parts', site=SITES, nodes=1, regions=2, replicas=2,
                                        dispatch=True, images=True)]) as labs:
        lab = labs[SITES]
        cluster = SwiftCluster(lab)
        cluster.put('/maps', X_Container_Read='.r:*')
        cluster.put('/maps/a.j2k', encoded(noise('L', 800, 700)), Content_Type='image/j2c')
        assert eventually(lambda: seconds_of_decoder(lab))
        assert all(seconds_of_decoder(lab).values())
        assert asked(lab, 2, PART)[0]['X-Lb-Point'] == 'D4'
        assert eventually(lambda: set(seconds_of_decoder(lab).values()) == {0.0})
