"""The headers of a DeviceReport and a limit of requests: their text, and what is refused."""
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.model import DeviceReport
from swift_lb.wire.report import MAX_REQUESTS, decode, decode_limit, encode, encode_limit

REPORTS = st.builds(DeviceReport, st.integers(0, MAX_REQUESTS), st.floats(1e-6, 9999.0))


def test_a_device_report_is_written_in_the_documented_format():
    assert '1 3 0.013845' == encode(DeviceReport(3, 0.0138451))
    assert DeviceReport(3, 0.013845) == decode('1 3 0.013845')


@given(REPORTS)
def test_every_device_report_is_read_back_to_the_microsecond(report):
    text = encode(report)
    in_flight, service_time = decode(text)
    assert in_flight == report.in_flight
    assert service_time == pytest.approx(report.service_time, abs=1e-6)
    assert len(text) <= 21


@pytest.mark.parametrize(('report', 'text'), [
    (DeviceReport(10**9, 1.0), '1 999999 1.000000'),
    (DeviceReport(0, 1e9), '1 0 9999.000000'),
    (DeviceReport(0, float('inf')), '1 0 9999.000000'),
    (DeviceReport(0, 1e-12), '1 0 0.000001'),
])
def test_numbers_out_of_the_headers_range_are_clipped(report, text):
    assert text == encode(report)
    assert decode(text) is not None


@pytest.mark.parametrize('text', [
    None, '', ' ', '1', '1 3', '1 3 ', '2 3 0.013845', '0 3 0.013845', '01 3 0.013845',
    '1 -3 0.013845', '1 3 -0.013845', '1 3 nan', '1 3 inf', '1 3 1e-3', '1 3 0.0138', '1 3 0',
    '1 3 0.000000', '1 3.0 0.013845', '1 1000000 0.013845', '1 3 10000.000000', '1 3 9999.500000',
    ' 1 3 0.013845', '1 3 0.013845\n', '1 3 0.013845 more', '1  3 0.013845', '1,3,0.013845',
    '1 \u0663 0.013845', '1 3 \u0660.013845', '1 3 0,013845', b'1 3 0.013845', 3, ['1 3 0.013845'],
    '1 ' + '9' * 10**6 + ' 0.013845'])
def test_text_in_another_format_is_decoded_to_none(text):
    assert decode(text) is None


@given(st.none() | st.text() | st.binary() | st.integers() | st.floats() | st.from_regex(
    r'\A[0-9-]{1,8} [0-9.e+-]{1,12} [0-9.e+-]{1,12}\s?\Z'))
def test_any_text_is_decoded_to_a_valid_report_or_none(text):
    report = decode(text)
    if report is not None:
        assert 0 <= report.in_flight <= MAX_REQUESTS
        assert 0 < report.service_time <= 9999
        assert text.split()[1:] == [text.split()[1], f'{report.service_time:.6f}']


@pytest.mark.parametrize(('limit', 'text'), [
    (0, '0'), (1.0, '1'), (3.99, '3'), (4, '4'), (1e30, '999999'), (math.inf, '999999')])
def test_a_fractional_limit_of_requests_is_rounded_down(limit, text):
    assert (text, int(text)) == (encode_limit(limit), decode_limit(text))


@given(st.none() | st.text() | st.binary() | st.from_regex(r'\A[ +-]?[0-9_.]{1,8}\s?\Z'))
def test_any_text_is_decoded_to_a_valid_limit_or_none(text):
    limit = decode_limit(text)
    assert limit is None or 0 <= limit <= MAX_REQUESTS
    assert limit is None or text == str(limit).zfill(len(text))
