"""The section [lb-image]: all faults at once; options of other daemons in [DEFAULT] are theirs."""
import pytest

from swift_lb.errors import ConfigError
from swift_lb.service.image.options import ImageServiceOptions, image_options, read


def test_sizes_have_units():
    parsed = image_options({'memory': '512MiB', 'pixels': '1000', 'workers': '3'})
    assert (parsed.memory, parsed.pixels, parsed.workers) == (512 << 20, 1000, 3)


def test_all_faults_are_told_at_once():
    with pytest.raises(ConfigError) as error:
        image_options({'memory': '1MiB', 'seconds': '0', 'sokcet': '/x', 'socket': 'x',
                       'pixels': '1e6'})
    assert [fault.split(': ')[0].removeprefix('lb-server.conf, [lb-image], ')
            for fault in error.value.faults] == [
        'memory = 1MiB', 'seconds = 0', 'sokcet = /x', 'socket = x', 'pixels = 1e6']


def test_defaults_of_all_daemons_are_taken(tmp_path):
    path = tmp_path / 'lb-server.conf'
    path.write_text('[DEFAULT]\nzone = a.example\nqueue = 7\nuser = x\n[lb-image]\nseconds = 5\n')
    assert read(path) == ImageServiceOptions(queue=7, seconds=5)
    path.write_text('[lb-agent]\n')
    with pytest.raises(ConfigError, match=r'there is no section \[lb-image\]'):
        read(path)
