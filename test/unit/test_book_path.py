"""The path of the file in which the workers of a proxy share their LoadBook."""
from swift_lb.book_path import path_of


def test_each_proxy_conf_and_user_has_its_own_shared_book_file(tmp_path):
    conf = tmp_path / 'proxy-server.conf'
    conf.touch()
    (tmp_path / 'link').symlink_to(conf)
    here = path_of('host', str(conf), 0)
    assert here.startswith('/dev/shm/swift-lb-0-')
    assert here == path_of('host', str(tmp_path / 'link'), 0)
    assert here != path_of('host', str(tmp_path / 'other.conf'), 0)
    assert here != path_of('host', str(conf), 12345)
    assert path_of('host', None, 0) is None
    assert path_of('worker', str(conf), 0) is None
    assert '/dev/shm/a' == path_of('/dev/shm/a', str(conf), 0)
