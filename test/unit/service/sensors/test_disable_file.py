"""The file that takes a proxy out: there, or not."""
import pytest

from swift_lb.service.sensors.disable_file import DisableFile


def test_it_is_looked_at_each_time(tmp_path):
    path = tmp_path / 'disabled'
    file = DisableFile(str(path))
    assert file.read(0.0) is False
    path.touch()
    assert file.read(1.0) is True
    path.unlink()
    assert file.read(2.0) is False


def test_without_a_path_there_is_none():
    assert DisableFile(None).read(0.0) is False


@pytest.mark.parametrize('path', ['', 'a\0b', 'x' * 5000])
def test_what_can_not_be_found_out_is_no_file(path):
    assert DisableFile(path).read(0.0) is False


def test_a_path_through_a_file_is_no_file(tmp_path):
    (tmp_path / 'file').touch()
    assert DisableFile(str(tmp_path / 'file/disabled')).read(0.0) is False
