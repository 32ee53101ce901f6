"""`swift-lb image get`, as it is typed, against a real server on a socket."""
import pytest
from support.jpeg2000 import encoded, noise
from unit.console.image.test_server import serving

from swift_lb.cli import main


@pytest.mark.parametrize(('mode', 'name', 'said'), [
    ('L', 'o.pgm', '30 x 20 pixels at D1 from 127.0.0.1:'),
    ('RGBA', 'o.ppm', 'o.ppm: raw pixels are gray or RGB, without alpha'),
    ('L', 'none/o.png', 'o.png: No such file or directory'),
    ('L', 'o.jpg', 'o.jpg: its name must end with one of .png, .pgm, .ppm')])
def test_the_file_that_is_written_or_not_is_told(monkeypatch, tmp_path, capsys, mode, name, said):
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    with serving({'/v1/a/c/o.j2k': (200, {}, encoded(noise(mode, 30, 20)))}) as (url, _seen):
        monkeypatch.setenv('OS_STORAGE_URL', f'{url}/v1/a')
        status = main(['image', 'get', 'c/o.j2k', '--output', str(tmp_path / name)])
    assert said in ''.join(capsys.readouterr())
    assert (tmp_path / name).exists() == (status == 0)


def test_points_that_are_none_are_refused(capsys):
    with pytest.raises(SystemExit):
        main(['image', 'get', 'c/o', '--output', 'o.png', '--points', ''])
    assert "--points: '' must be some of D1,D2,D3,D4" in capsys.readouterr().err
