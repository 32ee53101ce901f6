"""The state of decoders in reports and quotes; test_cluster_summary.py has that in summaries."""
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.reports import REPORTS

from swift_lb.errors import WireError
from swift_lb.model import ImageState
from swift_lb.service.sensors import SENSORS
from swift_lb.wire import node_report
from swift_lb.wire.image_state import (
    IMAGE_METRICS,
    MAX_WAIT,
    MAX_WORKERS,
    as_fields,
    as_metrics,
    of_fields,
    of_metrics,
    of_quote,
)

PIXEL = st.floats(0.0, 1.0)
STATES = st.builds(ImageState, st.floats(0.0, MAX_WAIT), st.integers(1, MAX_WORKERS), PIXEL, PIXEL,
                   PIXEL, PIXEL)
STATE = ImageState(0.25, 8, 8e-8, 1.4e-7, 5e-9, 1.6e-7)


@given(REPORTS, STATES)
def test_a_report_has_the_decoders_of_its_node_as_metrics(report, state):
    metrics = dict.fromkeys(SENSORS, 0.0123457) | as_metrics(state)
    payload = node_report.encode(report._replace(metrics=metrics))
    decoded = node_report.decode(payload)[0]
    assert of_metrics(decoded.metrics) == of_fields(*as_fields(state)) == pytest.approx(
        state, rel=1e-5)
    assert node_report.encode(decoded) == payload


@given(REPORTS)
def test_a_report_without_these_metrics_has_no_decoders(report):
    assert of_metrics(report.metrics) is None
    assert {} == as_metrics(None)


@pytest.mark.parametrize('name', IMAGE_METRICS)
def test_metrics_that_are_not_all_in_their_range_are_no_decoders(name):
    metrics = as_metrics(STATE)
    assert of_metrics(metrics) == STATE
    assert {None} == {of_metrics(metrics | {name: value}) for value in (-1e-9, 1e15)}
    del metrics[name]
    assert of_metrics(metrics) is None


def test_an_answer_to_a_quote_has_the_state_of_the_decoders():
    answer = STATE._asdict() | {'have': {}, 'queued': 3}
    assert of_quote(answer) == STATE
    assert of_quote(answer | {'wait': 1e5}).wait == MAX_WAIT
    for wrong in ({}, {'error': 'x'}, answer | {'wait': None}, answer | {'workers': 0},
                  answer | {'png': '1'}, answer | {'decode': float('nan')}):
        with pytest.raises(WireError, match='no state of decoders'):
            of_quote(wrong)
