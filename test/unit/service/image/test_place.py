"""The socket of swift-lb-image: what prevents its start is told in a sentence."""
import os
import pwd
import socket
import sys

import pytest

from swift_lb.errors import ImageServiceError
from swift_lb.service.image import daemon
from swift_lb.service.image.place import ServicePlace, owner_of

ME = pwd.getpwuid(os.getuid())


def test_files_are_of_the_user_and_its_own_group():
    assert owner_of(ME.pw_name) == (ME.pw_uid, ME.pw_gid)
    with pytest.raises(ImageServiceError, match='user = nobody-here: there is no such user'):
        owner_of('nobody-here')


def test_a_socket_can_be_connected_to_until_the_daemon_leaves(tmp_path):
    place = ServicePlace(str(tmp_path / 's'), ME.pw_name)
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(place.path)
    place.leave()
    assert not os.path.exists(place.path)
    place.leave()


@pytest.mark.parametrize(('name', 'reason'), [
    ('nowhere/s', 'No such file or directory'), ('x' * 200, 'AF_UNIX path too long')])
def test_a_path_that_can_not_be_had_is_told(tmp_path, name, reason):
    with pytest.raises(ImageServiceError, match=f'socket = {tmp_path}/{name}: {reason}'):
        ServicePlace(f'{tmp_path}/{name}', ME.pw_name)


def test_a_file_that_is_no_socket_is_not_removed(tmp_path):
    (tmp_path / 'lb-server.conf').write_text('[lb-image]\n')
    with pytest.raises(ImageServiceError, match='conf: there is a file that is no'):
        ServicePlace(f'{tmp_path}/lb-server.conf', ME.pw_name)
    assert [(tmp_path / 'lb-server.conf').read_text()] == [
        path.read_text() for path in tmp_path.iterdir()]


def test_a_package_that_is_missing_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, 'swift_lb.image_codec', None)
    with pytest.raises(ImageServiceError, match=r'swift_lb.image_codec.*; swift-lb\[image\] '):
        daemon.import_codecs()
