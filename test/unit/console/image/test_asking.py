"""The aware client learns from its answers."""
import json

from support.jpeg2000 import encoded, noise
from unit.console.image.test_server import serving

from swift_lb.chains.chain import Task
from swift_lb.console.image.asking import AwareClient
from swift_lb.console.image.server import ImageServer

IMAGE = encoded(noise('L', 600, 600))


def ways(folder):
    """Return {storage URL: what is known of the way to it}."""
    return json.loads((folder / 'image.json').read_text())['ways']


def test_a_client_learns_the_way_to_the_server_that_it_asks_and_not_to_where_it_is_redirected(
        tmp_path):
    with serving({'/v1/a/c/o.j2k': (200, {}, IMAGE)}) as (there, _), serving(
            {'/v1/a/c/o.j2k': (307, {'Location': f'{there}/v1/a/c/o.j2k?lb_from=x'}, b'')}) as (
            here, _):
        for url, known in ((here, set()), (there, {'latency', 'bandwidth'})):
            client = AwareClient(ImageServer(f'{url}/v1/a', None), folder=tmp_path)
            part = client.get('c/o.j2k', Task(None, 1))
            assert (part.point, part.pixels.shape) == ('D1', (300, 300))
            assert there.endswith(part.server)
            assert ways(tmp_path)[f'{url}/v1/a'].keys() == known
