"""Parts of images on a real Swift: every point is exact, and a client is always answered."""
import io
import json
import os
import signal
from urllib.error import HTTPError
from urllib.request import urlopen

import numpy as np
import pytest
from PIL import Image
from support.cluster import SwiftCluster, eventually
from support.jpeg2000 import decoded, encoded, noise, pixels_of_whole

from swift_lb.chains.chain import Region, Task
from swift_lb.console.image.pixels import pixels_at
from swift_lb.lab.lab import Lab
from swift_lb.lab.spec import LabSpec

AWARE = 'points={points}; bandwidth=1e6; latency=0.02; pixels=1e7'
TASKS = [Task(Region(100, 300, 300, 200), 0), Task(Region(13, 7, 1000, 400), 2), Task(None, 3),
         Task(Region(500, 500, 5000, 5000), 1), Task(Region(255, 255, 2, 2), 0)]
IMAGES = {'gray': 'L', 'deep': 'I;16', 'colours': 'RGB'}


def query_of(task, **more):
    """Return the query string of a Task."""
    asked = {'lb_region': ','.join(map(str, task.region))} if task.region else {}
    return '&'.join(f'{name}={value}' for name, value in (
        asked | {'lb_reduce': task.reduce} | more).items())


@pytest.fixture(scope='module')
def images():
    """A SwiftCluster with a decoder, and images in the container `maps`."""
    spec = LabSpec(name=f'images-{os.getpid()}', images=True, image_options={'workers': '1'})
    with Lab.up(spec) as lab:
        cluster = SwiftCluster(lab)
        cluster.put('/maps')
        cluster.files = {name: encoded(noise(mode, 800, 700))
                         for name, mode in IMAGES.items()}
        for name, data in cluster.files.items():
            cluster.put(f'/maps/{name}.j2k', data, Content_Type='image/j2c')
        yield cluster


def part(cluster, name, task, **headers):
    """Return the ProxyAnswer to a request for a Task of an image."""
    return cluster.ask(f'/maps/{name}?{query_of(task)}', **headers)


def expected(data, task):
    """Return the array of a Task's pixels, by the decoded whole."""
    return np.asarray(pixels_of_whole(data, task))


@pytest.mark.parametrize('name', IMAGES)
@pytest.mark.parametrize('task', TASKS)
def test_pixels_of_every_point_are_exact(images, name, task):
    wanted = expected(images.files[name], task)
    png = part(images, f'{name}.j2k', task)
    assert png.headers['x-lb-point'] == 'D4'
    assert png.headers['content-type'] == 'image/png'
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(png.body))), wanted)
    for point in ('D1', 'D2', 'D3'):
        overview = np.asarray(decoded(images.files[name], 4))
        answer = part(images, f'{name}.j2k', task, X_Lb_Client=(
            f'{AWARE.format(points=point)}; overview=4; '
            f'version={png.headers["x-lb-object-etag"]}'))
        assert answer.headers['x-lb-point'] == point
        found, _decoded = pixels_at(point, answer.body, task, overview, f'{name}.j2k',
                                    answer.headers['content-type'])
        assert np.array_equal(found, wanted)


def test_raw_pixels_have_the_type_of_their_file(images):
    answer = images.ask(f'/maps/colours.j2k?{query_of(TASKS[0], lb_format="raw")}')
    assert answer.headers['content-type'] == 'image/x-portable-pixmap'
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(answer.body))),
                          expected(images.files['colours'], TASKS[0]))


@pytest.mark.parametrize(('query', 'status', 'sentence'), [
    ('lb_region=1,2,3', 400, 'lb_region=1,2,3 must be X,Y,WIDTH,HEIGHT'),
    ('lb_region=800,0,1,1', 400, 'outside of the image'),
    ('lb_reduce=6', 400, 'reduced 0 to 5 times')])
def test_a_wrong_part_is_refused_with_a_sentence(images, query, status, sentence):
    answer = images.ask(f'/maps/gray.j2k?{query}')
    assert answer.status == status
    assert sentence in answer.body.decode()


def test_a_client_without_the_right_to_read_gets_nothing(images):
    assert part(images, 'gray.j2k', TASKS[0]).status == 200      # it is kept now
    url = f'{images.lab.storage_url()}/maps/gray.j2k?{query_of(TASKS[0])}'
    with pytest.raises(HTTPError) as denied:
        urlopen(url)
    assert denied.value.code == 401
    assert 'x-lb-point' not in denied.value.headers


def test_an_overwritten_image_is_never_answered_by_its_old_part(images):
    first, second = (encoded(noise('L', 600, 600, seed)) for seed in (1, 2))
    for data in (first, second, first):
        images.put('/maps/changing.j2k', data, Content_Type='image/j2c')
        answer = part(images, 'changing.j2k', TASKS[0])
        assert np.array_equal(np.asarray(Image.open(io.BytesIO(answer.body))),
                              expected(data, TASKS[0]))


@pytest.mark.parametrize('kind', ['static', 'dynamic'])
def test_an_image_in_segments_is_read_as_a_whole(images, kind):
    data, half = images.files['gray'], len(images.files['gray']) // 2
    images.put('/segments')
    for number, segment in enumerate((data[:half], data[half:])):
        images.put(f'/segments/{kind}/{number}', segment)
    if kind == 'static':
        images.put('/maps/static.j2k?multipart-manifest=put', json.dumps(
            [{'path': f'/segments/static/{number}'} for number in range(2)]).encode())
    else:
        images.put('/maps/dynamic.j2k', b'', X_Object_Manifest='segments/dynamic/')
    for points in ('D2', 'D4'):
        answer = part(images, f'{kind}.j2k', TASKS[0], X_Lb_Client=AWARE.format(points=points))
        assert answer.headers['x-lb-point'] == points
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(answer.body))),
                          expected(data, TASKS[0]))


def test_a_script_of_an_allowed_origin_may_read_parts(images):
    origin = 'http://viewer.example'
    images.put('/scripted', X_Container_Meta_Access_Control_Allow_Origin=origin)
    images.put('/scripted/gray.j2k', images.files['gray'], Content_Type='image/j2c')
    url = f'/scripted/gray.j2k?{query_of(TASKS[0])}'
    assert images.ask(url, Origin=origin).headers['access-control-allow-origin'] == origin
    assert 'access-control-allow-origin' not in images.ask(url, Origin='http://x.example').headers


def test_an_etag_saves_a_part_that_the_client_has(images):
    first = part(images, 'gray.j2k', TASKS[1])
    second = part(images, 'gray.j2k', TASKS[1], If_None_Match=first.headers['etag'])
    assert (second.status, second.body) == (304, b'')


def test_other_objects_are_answered_as_they_are(images):
    images.put('/maps/text', b'no image', Content_Type='text/plain')
    assert part(images, 'text', TASKS[0]).body == b'no image'
    assert part(images, 'missing.j2k', TASKS[0]).status == 404


def test_a_file_that_is_no_image_is_refused_with_a_sentence(images):
    images.put('/maps/lying.j2k', b'no image' * 100, Content_Type='image/j2c')
    answer = part(images, 'lying.j2k', TASKS[0])
    assert answer.status == 422
    assert answer.body.count(b'\n') == 1


def test_an_untiled_image_is_answered_by_pixels_or_whole(images):
    data = encoded(noise('L', 500, 500), tile_size=(0, 0))
    images.put('/maps/untiled.j2k', data, Content_Type='image/j2c')
    answer = part(images, 'untiled.j2k', TASKS[0])
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(answer.body))),
                          expected(data, TASKS[0]))
    whole = part(images, 'untiled.j2k', TASKS[0], X_Lb_Client=AWARE.format(points='D1,D2,D3'))
    assert whole.headers['x-lb-point'] == 'D1'
    assert whole.body == data


def test_without_the_decoder_clients_get_portions_or_the_object(images):
    decoder = images.lab.processes['image-1']
    os.kill(decoder.pid, signal.SIGSTOP)        # it hangs: connections are accepted, and silent
    try:
        answer = part(images, 'deep.j2k', TASKS[3]._replace(reduce=2))
        assert answer.headers['x-lb-point'] == 'D2'
    finally:
        os.kill(decoder.pid, signal.SIGCONT)
    assert eventually(lambda: part(images, 'deep.j2k', TASKS[0]).headers['x-lb-point'] == 'D4')


def test_an_explanation_has_every_term_of_every_point(images):
    answer = images.ask(f'/maps/gray.j2k?{query_of(TASKS[0], lb_why="true")}',
                        X_Lb_Client=AWARE.format(points='D1,D2,D3,D4'))
    page = json.loads(answer.body)
    assert {one['point'] for one in page['points']} == {'D1', 'D2', 'D4'}
    assert page['without'] == {'D3': 'the client has no overview that is coarser'}
    for one in page['points']:
        assert one['seconds'] == pytest.approx(
            one['data'] + one['server'] + one['net'] + one['client'])
