"""Units are parsed at the edge, once, and a wrong one is refused."""
import pytest

from swift_lb.lab import quantity


@pytest.mark.parametrize(('text', 'value'), [
    ('80ms', 0.08), ('80 ms', 0.08), ('1.5s', 1.5), ('2', 2.0), ('250us', 0.00025), ('1min', 60)])
def test_times_are_parsed_with_their_units(text, value):
    assert quantity.seconds(text) == pytest.approx(value)


@pytest.mark.parametrize('text', ['', 'x', '-1', '0', 'nan', 'inf', '1h', '80 m s', '1e999'])
def test_invalid_times_are_refused(text):
    with pytest.raises(ValueError, match='must be a time of more than 0'):
        quantity.seconds(text)


@pytest.mark.parametrize(('text', 'value'), [
    ('64KiB', 65536), ('1MiB', 1 << 20), ('1000', 1000), ('1.5 KiB', 1536), ('7B', 7)])
def test_sizes_are_parsed_with_their_units(text, value):
    assert quantity.size(text) == value


@pytest.mark.parametrize('text', ['0', '0.5', 'MiB', '1 MB', '-1KiB'])
def test_invalid_sizes_are_refused(text):
    with pytest.raises(ValueError, match='must be a size'):
        quantity.size(text)


@pytest.mark.parametrize(('text', 'value'), [('0', 0), ('0.1', 0.1), ('10%', 0.1), ('1', 1)])
def test_a_fraction_may_be_written_as_a_percentage(text, value):
    assert quantity.fraction(text) == pytest.approx(value)


@pytest.mark.parametrize('text', ['1.1', '101%', '-0.1', 'often'])
def test_invalid_fractions_are_refused(text):
    with pytest.raises(ValueError, match='must be a fraction'):
        quantity.fraction(text)


@pytest.mark.parametrize(('value', 'text'), [(7, '7 B'), (65536, '64 KiB'), (3 << 30, '3 GiB')])
def test_sizes_are_written_in_binary_units(value, text):
    assert quantity.show_size(value) == text
