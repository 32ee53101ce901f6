"""Times, sizes and fractions in rules are parsed with their units, or refused."""
import pytest

from swift_lb.lab.rules import parse_fraction as fraction
from swift_lb.lab.rules import parse_seconds as seconds
from swift_lb.lab.rules import parse_size as size
from swift_lb.lab.status import show_size


@pytest.mark.parametrize(('parse', 'text', 'value'), [
    (seconds, '80ms', 0.08), (seconds, '80 ms', 0.08), (seconds, '1.5s', 1.5), (seconds, '2', 2.0),
    (seconds, '250us', 0.00025), (seconds, '1min', 60),
    (size, '64KiB', 65536), (size, '1MiB', 1 << 20), (size, '1000', 1000), (size, '1.5 KiB', 1536),
    (size, '7B', 7),
    (fraction, '0', 0), (fraction, '0.1', 0.1), (fraction, '10%', 0.1), (fraction, '1', 1)])
def test_times_sizes_and_fractions_are_parsed_with_units(parse, text, value):
    assert parse(text) == pytest.approx(value)


@pytest.mark.parametrize(('parse', 'texts', 'fault'), [
    (seconds, ['', 'x', '-1', '0', 'nan', 'inf', '1h', '80 m s', '1e999'],
     'must be a time of more than 0'),
    (size, ['0', '0.5', 'MiB', '1 MB', '-1KiB'], 'must be a size'),
    (fraction, ['1.1', '101%', '-0.1', 'often'], 'must be a fraction')])
def test_invalid_times_sizes_and_fractions_are_refused(parse, texts, fault):
    for text in texts:
        with pytest.raises(ValueError, match=fault):
            parse(text)


@pytest.mark.parametrize(('value', 'text'), [(7, '7 B'), (65536, '64 KiB'), (3 << 30, '3 GiB')])
def test_sizes_are_written_in_binary_units(value, text):
    assert show_size(value) == text
