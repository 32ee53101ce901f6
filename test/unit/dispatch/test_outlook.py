"""The Outlook: the response time forecast at a peer by reports, its load and own requests."""
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.dispatch.outlook import FADE, FORGET, HOP, RATIO, TAU, Outlook
from swift_lb.model import UP, NodeInstruction
from swift_lb.wire.peer_load import PeerLoad

HERE = NodeInstruction('here', '10.0.0.1:8080', UP, 0.4, 1.0, 0.5, 1.0, 0.5)
SECONDS = st.floats(1e-6, 100.0)
LOADS = st.builds(PeerLoad, st.integers(0, 1000), SECONDS, st.floats(0.0, 10.0))
NODES = st.none() | st.builds(HERE._replace, load=st.none() | st.floats(0.0, 1e6))
OURS = st.integers(0, 1000)


def outlook(load=None, there=None, ours=0):
    """Return an Outlook of a peer: its Instruction has load `there`; at 100 s it reports `load`."""
    result = Outlook()
    if there is not None:
        result.instruct(HERE._replace(node='there', load=there), HERE)
    if load is not None:
        result.report(load, ours, 100.0)
    return result


def seconds(result, ours=0, now=100.0, typical=0.020):
    return result.forecast(ours, now, typical).seconds


def test_a_peer_without_report_and_load_has_no_forecast():
    assert Outlook().forecast(0, 100.0, 0.020) is None
    assert Outlook().forecast(0, 100.0, None) is None
    assert outlook(there=0.1).forecast(0, 100.0, None) is None
    for nodes in ((None, HERE), (HERE, None), (HERE._replace(load=None), HERE)):
        result = outlook(there=0.1)
        result.instruct(*nodes)
        assert result.forecast(0, 100.0, 0.020) is None


@pytest.mark.parametrize(('there', 'expected'), [
    (0.4, 0.020), (0.1, 0.010), (1.6, 0.040), (0.4e-6, 0.002), (0.0, 0.200), (0.4e6, 0.200)])
def test_a_peer_never_asked_is_forecast_from_its_load(there, expected):
    assert seconds(outlook(there=there)) == pytest.approx(expected)
    assert 0.020 / RATIO <= seconds(outlook(there=there)) <= 0.020 * RATIO


def test_a_peer_never_asked_gets_a_few_requests_at_first():
    assert [0.01, 0.02, 0.03] == [
        pytest.approx(seconds(outlook(there=0.1), ours=ours)) for ours in range(3)]


@pytest.mark.parametrize(('ours', 'expected'), [
    (5, 0.034), (6, 0.036), (15, 0.054), (4, 0.032), (0, 0.024)])
def test_a_peers_forecast_grows_with_each_own_request_there(ours, expected):
    assert seconds(outlook(PeerLoad(7, 0.034, 0.002), ours=5), ours) == pytest.approx(expected)


def test_a_forecast_is_never_below_the_time_of_one_request_alone():
    assert seconds(outlook(PeerLoad(7, 0.040, 0.009), ours=7), 0) == pytest.approx(0.040 / 8)


def test_the_instructions_load_counts_more_as_a_report_ages():
    result = outlook(PeerLoad(0, 0.010, 0.0), there=1.6)
    assert seconds(result) == pytest.approx(0.010)
    fresh = math.exp(-1 / FADE)
    assert seconds(result, now=101.0) == pytest.approx(fresh * 0.010 + (1 - fresh) * 0.040)
    assert seconds(result, now=200.0) == pytest.approx(0.040)


def test_old_peer_reports_are_dropped_without_an_instruction():
    result = outlook(PeerLoad(0, 0.010, 0.0))
    assert seconds(result, now=100.0 + FORGET) == pytest.approx(0.020, rel=0.01)
    assert result.forecast(0, 100.1 + FORGET, 0.020) is None


def test_a_request_waiting_at_a_peer_raises_its_forecast():
    result = outlook(PeerLoad(0, 0.010, 0.0))
    assert result.forecast(1, 100.0, 0.020, waiting=3.0).seconds == 3.0
    assert result.forecast(1, 100.0, 0.020, waiting=0.001).seconds == pytest.approx(0.010)


@given(LOADS, OURS, OURS, SECONDS, st.floats(0.0, FORGET), st.floats(0.0, FORGET))
def test_a_peers_forecast_never_falls_as_its_report_ages(load, then, ours, typical, one, other):
    result = outlook(load, ours=then)
    early, late = (seconds(result, ours, 100.0 + min(age, FORGET - 1e-6), typical)
                   for age in sorted((one, other)))
    assert early <= late * (1 + 1e-9)


@given(NODES, NODES, st.none() | LOADS, OURS, OURS, OURS, st.floats(100.0, 200.0),
       st.none() | SECONDS)
def test_more_own_requests_at_a_peer_never_lower_its_forecast(
        there, here, load, then, ours, more, now, typical):
    result = Outlook()
    result.instruct(there, here)
    if load is not None:
        result.report(load, then, 100.0)
    forecast = result.forecast(ours, now, typical)
    assert (forecast is None) == (result.forecast(ours + more, now, typical) is None)
    if forecast is not None:
        assert 0 < forecast.seconds < math.inf
        assert forecast.seconds <= result.forecast(
            ours + more, now, typical).seconds * (1 + 1e-9)


def test_the_hop_is_the_answer_time_not_spent_at_the_peer():
    result = outlook(PeerLoad(0, 0.010, 0.0))
    assert HOP == result.forecast(0, 100.0, 0.020).hop
    result.add_hop(0.015, 0.010, 100.0)
    assert result.forecast(0, 100.0, 0.020).hop == pytest.approx(0.005)
    result.add_hop(0.011, 0.010, 100.0)
    assert result.forecast(0, 100.0, 0.020).hop == pytest.approx(0.003)


@pytest.mark.parametrize(('here', 'there', 'hop'), [
    (0.010, 0.020, 0.0), (math.nan, 0.010, HOP), (0.010, math.nan, HOP)])
def test_the_time_of_a_hop_is_never_negative(here, there, hop):
    result = outlook(PeerLoad(0, 0.010, 0.0))
    result.add_hop(here, there, 100.0)
    assert hop == result.forecast(0, 100.0, 0.020).hop


def test_a_long_hop_measured_once_is_forgotten_in_time():
    result = outlook(there=0.4)
    result.add_hop(3.0, 0.010, 100.0)
    assert result.forecast(0, 100.0, 0.020).hop == pytest.approx(2.99)
    assert result.forecast(0, 100.0 + 10 * TAU, 0.020).hop == pytest.approx(HOP, rel=0.1)
