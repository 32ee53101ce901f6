"""Where a proxy's book lies."""
import pytest

from swift_lb.book_path import path_of


@pytest.mark.parametrize(('choice', 'expected'), [('worker', None), ('/dev/shm/a', '/dev/shm/a')])
def test_which_file_it_is(choice, expected, tmp_path):
    assert expected == path_of(choice, str(tmp_path / 'proxy-server.conf'), 0)


def test_each_conf_and_each_user_has_a_file_of_its_own(tmp_path):
    conf = tmp_path / 'proxy-server.conf'
    conf.touch()
    (tmp_path / 'link').symlink_to(conf)
    here = path_of('host', str(conf), 0)
    assert here.startswith('/dev/shm/swift-lb-0-')
    assert here == path_of('host', str(tmp_path / 'link'), 0)
    assert here != path_of('host', str(tmp_path / 'other.conf'), 0)
    assert here != path_of('host', str(conf), 12345)
    assert path_of('host', None, 0) is None
