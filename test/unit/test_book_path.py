"""The path of a proxy's book."""
import pytest

from swift_lb.book_path import path_of


@pytest.mark.parametrize(('choice', 'expected'), [('worker', None), ('/dev/shm/a', '/dev/shm/a')])
def test_a_worker_book_has_no_path_and_a_path_is_its_own(choice, expected, tmp_path):
    assert expected == path_of(choice, str(tmp_path / 'proxy-server.conf'), 0)


def test_each_conf_file_and_user_has_its_own_path(tmp_path):
    conf = tmp_path / 'proxy-server.conf'
    conf.touch()
    (tmp_path / 'link').symlink_to(conf)
    here = path_of('host', str(conf), 0)
    assert here.startswith('/dev/shm/swift-lb-0-')
    assert here == path_of('host', str(tmp_path / 'link'), 0)
    assert here != path_of('host', str(tmp_path / 'other.conf'), 0)
    assert here != path_of('host', str(conf), 12345)
    assert path_of('host', None, 0) is None
