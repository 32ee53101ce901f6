"""What an aware client remembers of itself, and the overviews that it keeps."""
import numpy as np
import pytest

from swift_lb.chains.chain import POINTS
from swift_lb.console.image.measured import GAIN, LARGE, Measured
from swift_lb.console.image.overviews import MOST, Overviews
from swift_lb.wire.image_client import ImageClient


def test_a_machine_is_measured_once_and_remembered(tmp_path):
    turns = []
    for _time in range(2):
        measured = Measured(tmp_path, 'h', lambda: turns.append(1) or 1e7)
        measured.save()
    assert len(turns) == 1
    assert measured.client(overview=3, version='e') == ImageClient(POINTS, None, None, 1e7, 3, 'e')


def test_each_measurement_moves_the_mean(tmp_path):
    measured = Measured(tmp_path, 'h', lambda: 1e7)
    measured.note_way(0.02, LARGE, 0.5)
    measured.note_way(None, LARGE - 1, 0.001)       # an open connection, and a small body
    measured.note_way(0.04, 2 * LARGE, 0.5)
    measured.note_decoded(2e6, 0.1)
    measured.save()
    again = Measured(tmp_path, 'h', None).client()
    assert again.latency == pytest.approx(0.02 + GAIN * 0.02)
    assert again.bandwidth == pytest.approx(2 * LARGE + GAIN * 2 * LARGE)
    assert again.pixels == pytest.approx(1e7 + GAIN * 1e7)
    assert Measured(tmp_path, 'other', None).client().bandwidth is None


def test_a_load_is_forgotten_while_nothing_is_decoded(tmp_path):
    measured = Measured(tmp_path, 'h', lambda: 1e7)
    measured.note_decoded(1e6, 1.0)
    slow = measured.client().pixels
    for _part in range(100):
        before = measured.client().pixels
        measured.note_decoded(0, 0.001)
        assert before < measured.client().pixels < 1e7
    assert slow == pytest.approx(1e7 - GAIN * 9e6)
    assert measured.client().pixels == pytest.approx(1e7, rel=0.01)
    measured.note_decoded(3e6, 0.1)     # faster than at first: an image that is easy to decode
    fast = measured.client().pixels
    measured.note_decoded(0, 0.001)
    assert measured.client().pixels == fast


@pytest.mark.parametrize('text', ['', '[]', '{"ways": 3}', '\xff'])
def test_a_damaged_file_is_measured_anew(tmp_path, text):
    (tmp_path / 'image.json').write_text(text, encoding='latin-1')
    assert Measured(tmp_path, 'h', lambda: 5.0).client().pixels == 5.0


def test_overviews_are_kept_by_url_and_the_oldest_go(tmp_path):
    overviews = Overviews(tmp_path)
    for number in range(MOST + 2):
        overviews.keep(f'u{number}', f'e{number}', 3, np.full((2, 3), number, np.uint8))
    version, reduce, pixels = overviews.of(f'u{MOST + 1}')
    assert (version, reduce, pixels.tolist()) == (f'e{MOST + 1}', 3, 2 * [3 * [MOST + 1]])
    assert len(list((tmp_path / 'overviews').iterdir())) == MOST
    assert overviews.of('another') is None
    for damaged in (b'damaged', b'', b'PK\3\4'):
        for path in (tmp_path / 'overviews').iterdir():
            path.write_bytes(damaged)
        assert overviews.of(f'u{MOST}') is None
