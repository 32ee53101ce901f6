"""`swift-lb why --image`, as it is typed, against a real server on a socket."""
import json

import numpy as np
import pytest
from unit.console.image.test_server import serving

from swift_lb.cli import main
from swift_lb.console.image.measured import Measured
from swift_lb.console.image.overviews import Overviews

COST = {'point': 'D2', 'form': '', 'seconds': 0.5, 'data': 0.25, 'server': 0.0, 'net': 0.15,
        'client': 0.1, 'bytes': 2000.4, 'read': 1900}
PAGE = {'format': 1, 'region': [0, 0, 9, 9], 'reduce': 1, 'kept': [], 'points': [COST],
        'client': {'rtt': 0.02, 'bandwidth': None}, 'instead': None, 'routes': [],
        'decoder': {'wait': None, 'workers': None}, 'without': {'D3': 'the image is not tiled'}}


@pytest.fixture
def why(monkeypatch, tmp_path, capsys):
    """Return a function that asks why of maps/o; it returns (printed, X-Lb-Client sent)."""
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))

    def why(answer, *words, name='maps/o', kind='application/json'):
        with serving({'/v1/a/maps/o': (200, {'Content-Type': kind}, answer)}) as (url, seen):
            monkeypatch.setenv('OS_STORAGE_URL', f'{url}/v1/a')
            why.url = f'{url}/v1/a'
            why.prepare()
            main(['why', '--image', name, *words])
            return ''.join(capsys.readouterr()), seen and seen[0][2]
    why.prepare, why.folder = bool, tmp_path / 'swift-lb'
    return why


def test_the_terms_of_each_point_are_printed(why):
    said, client = why(json.dumps(PAGE).encode(), '--says', 'points=D2; pixels=1e6')
    assert client == 'points=D2; pixels=1e6'
    assert [' '.join(line.split()) for line in said.splitlines()[1:]] == [
        'round trip 20 ms, bandwidth unknown; decoder: none answers',
        'point form data server net client sum bytes read',
        'D2 250 ms 0.0 ms 150 ms 100 ms 500 ms 2,000 1,900', 'D3: the image is not tiled']


def test_a_request_of_which_no_point_can_be_used_is_told_what_it_gets(why):
    said, client = why(json.dumps(PAGE | {'points': [], 'instead': 'D1'}).encode(), '--says', '')
    assert client is None
    assert 'none of the points can be used here: the answer is D1 all the same\n' in said


def test_who_has_no_token_is_told_what_is_missing(why):
    said = why(json.dumps(PAGE | {'decoder': None}).encode(), '--says', '')[0]
    assert 'decoder and clusters are shown only with a valid token (OS_AUTH_TOKEN)\n' in said


def test_without_says_it_is_what_swift_lb_image_would_say(why):
    def measure():
        Measured(why.folder, why.url, lambda: 1e7).save()
        Overviews(why.folder).keep(f'{why.url}/maps/o', 'etag', 3, np.zeros((2, 2), np.uint8))
    why.prepare = measure
    assert why(json.dumps(PAGE).encode())[1] == (
        'points=D1,D2,D3,D4; pixels=1e+07; overview=3; version=etag')


@pytest.mark.parametrize(('kind', 'reason'), [
    ('image/jpeg', ' is of type image/jpeg, of which no parts can be had'),
    ('image/jp2', ': the proxy that answered does not explain it: its pipeline '
     'lacks lb_image')])
def test_an_object_in_place_of_an_explanation_is_told(why, kind, reason):
    assert why(b'an image', kind=kind)[0] == f'swift-lb why: maps/o{reason}\n'


@pytest.mark.parametrize(('name', 'words', 'reason'), [
    ('maps', (), 'maps: must be CONTAINER/OBJECT'),
    ('/maps/o', (), '/maps/o: must be CONTAINER/OBJECT'),
    ('maps/', (), 'maps/: must be CONTAINER/OBJECT'),
    ('maps/o', ('--url', 'http://h'), 'only --region, --reduce, --says and --json are for '),
    ('maps/o', ('--follows',), 'only --region, --reduce, --says and --json are for ')])
def test_wrong_words_are_told(why, name, words, reason):
    said, client = why(b'', *words, name=name)
    assert said.startswith(f'swift-lb why: {reason}')
    assert not client


def test_words_for_images_are_for_nothing_else(capsys):
    assert main(['why', 'a/c/o', '--region', '0,0,1,1']) == 1
    assert '--region, --reduce and --says are for --image' in capsys.readouterr().err
