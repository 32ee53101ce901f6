"""An agent without its process: its first instruction, ramp, restart, reports and alerts."""
import os
import random

import pytest
from support.one_agent import BEGUN, KEY, OneAgent, round_of

from swift_lb import instruction_file
from swift_lb.errors import AgentError
from swift_lb.model import CRITICAL, DISABLED, DRAINING, GONE, LATE, UP
from swift_lb.plan.forecast.series import MeasuredSeries
from swift_lb.plan.plan import RULES
from swift_lb.wire import node_report, signature

PEER = ('10.0.0.2', 6208)


def report_in(datagram):
    """Return the Report that a datagram signed with KEY contains."""
    return node_report.decode(signature.verified((KEY.encode(),), datagram))[0]


@pytest.fixture
def alone(tmp_path):
    """Return a OneAgent without peers that has ticked once."""
    one = OneAgent(tmp_path)
    one.tick(0.0)
    return one


# -- the first Instruction


def test_an_agent_without_peers_makes_an_instruction_at_once(alone):
    assert alone.part().dns == 1.0
    assert instruction_file.read(alone.options.instruction_file, alone.now)[0] == (
        alone.agent.instruction)


def test_the_first_instruction_waits_for_silent_peers(tmp_path):     # or it would get all clients
    one = OneAgent(tmp_path, configured=[PEER])
    one.tick(0.0)
    one.tick(1.9)
    assert one.agent.instruction is None
    assert instruction_file.read(one.options.instruction_file, one.now)[0] is None
    one.tick(0.1)
    assert one.part().dns == 1.0


def test_the_first_instruction_is_made_once_all_peers_reported(tmp_path):
    one = OneAgent(tmp_path, configured=[PEER])
    other = OneAgent(tmp_path, 'node-2')
    one.tick(0.0)
    other.tick(0.0)
    assert one.receive(other)
    one.tick(0.1)
    assert {part.node for part in one.agent.instruction.nodes} == {'node-1', 'node-2'}


def test_a_peer_with_another_key_is_a_fault(tmp_path):      # it would just look dead
    one = OneAgent(tmp_path, configured=[PEER])
    one.agent.receive([(b'forged', PEER)])
    one.tick(1.0)
    assert one.agent.faults == {
        'refused': 'reports of 10.0.0.2:6208 are refused: it signs with another key'}
    one.tick(9.0)
    assert one.agent.faults == {}


def test_all_agents_make_the_same_instruction(tmp_path):
    agents = [OneAgent(tmp_path, f'node-{number}', now=BEGUN + number / 256)
             for number in (1, 2, 3)]
    for _round in range(5):
        round_of(agents)
    plans = {(one.agent.instruction.nodes, one.agent.instruction.generation) for one in agents}
    assert len(plans) == 1
    assert sum(part.dns for part in next(iter(plans))[0]) == pytest.approx(1)


# -- forecasts of load

SPIKES = (5.0, 5.0, 5.0, 50.0) * 10      # requests in flight, of which the last is a spike


def test_a_node_reports_and_is_planned_by_its_forecast_load(tmp_path):
    one, plain = OneAgent(tmp_path, forecast='nws'), OneAgent(tmp_path, 'node-2')
    series = MeasuredSeries()
    for value in SPIKES:
        series.add(value)
        for each in (one, plain):
            each.sensors['in_flight'].value = value
            each.tick()
    expected = series.forecast.value
    assert expected < 20
    assert report_in(one.agent.datagram).metrics['in_flight'] == pytest.approx(expected)
    assert one.part().load == pytest.approx((expected + 1) * 0.1)
    assert one.agent.monitor.metrics['in_flight'] == 50.0       # what /metrics shows
    assert report_in(plain.agent.datagram).metrics['in_flight'] == 50.0
    assert plain.part().load == pytest.approx(51 * 0.1)


@pytest.mark.parametrize('rules', RULES)
@pytest.mark.parametrize('forecasts', [('nws',) * 3, ('nws', 'none', 'nws')], ids=str)
def test_agents_that_forecast_their_loads_make_one_instruction(tmp_path, rules, forecasts):
    """They agree if not all have the option, and so does one that began later than the others."""
    chance = random.Random(1)
    agents = [OneAgent(tmp_path, f'node-{number}', rules=rules, forecast=forecast)
              for number, forecast in enumerate(forecasts, 1)]
    for second in range(60):
        if second == 40:
            agents.append(OneAgent(tmp_path, 'node-4', agents[0].now, rules=rules,
                                   forecast='nws'))
        for one in agents:
            for name in ('in_flight', 'response_time', 'cpu', 'network', 'memory'):
                one.sensors[name].value = chance.random()
        round_of(agents)
        assert len({(one.agent.instruction.nodes, one.agent.instruction.digest)
                    for one in agents}) == 1
    assert len({report_in(one.agent.datagram).rules for one in agents}) == 1
    assert len(agents[0].agent.instruction.nodes) == 4


def test_without_forecasts_reports_have_the_dampened_readings(tmp_path):
    one = OneAgent(tmp_path, dampening=0.5)
    for value in SPIKES:
        one.sensors['in_flight'].value = value
        one.tick()
        assert one.agent.monitor.reported == one.agent.monitor.metrics
    assert {} == one.agent.monitor.forecasts


def test_an_alert_has_the_requests_in_flight_and_no_forecast(tmp_path):
    one = OneAgent(tmp_path, forecast='nws')
    one.tick()
    assert report_in(one.agent.alert(100, one.now)).metrics['in_flight'] == 100.0
    assert report_in(one.tick()).metrics['in_flight'] == 5.0


# -- cold and warm


def ramp_of(one):
    """Return the ramp, 0 to 1, in the last Report that a OneAgent has sent."""
    return report_in(one.agent.datagram).ramp


def test_a_node_that_stalls_during_its_ramp_begins_it_again(alone):
    assert ramp_of(alone) == pytest.approx(0.1)
    alone.tick(15.0)
    for _second in range(16):
        alone.tick(1.0)
    assert ramp_of(alone) == pytest.approx(0.1 + 0.9 * 16 / 30)     # 15 s were a stall


@pytest.mark.parametrize(('pause', 'cold'), [(4.5, False), (4.6, True), (3600.0, True)])
def test_a_node_ramps_up_again_after_a_stall_of_over_4_5_s(alone, pause, cold):
    for _second in range(31):
        alone.tick(1.0)
    assert ramp_of(alone) == 1.0
    alone.tick(pause)
    assert ramp_of(alone) == (pytest.approx(0.1) if cold else 1.0)


def test_a_node_that_is_back_in_service_ramps_up_again(alone):
    for _second in range(31):
        alone.tick(1.0)
    for drained, disabled, state in ((True, False, DRAINING), (True, True, DRAINING),
                                     (False, True, DISABLED)):
        alone.agent.set_out_of_service(drained, disabled)
        assert report_in(alone.tick()).state == state
        assert ramp_of(alone) == 1.0
    alone.agent.set_out_of_service(False, False)
    assert report_in(alone.tick(0.0)).state == UP
    assert ramp_of(alone) == pytest.approx(0.1)


def test_without_a_ramp_a_node_has_its_full_weight_at_once(tmp_path):
    one = OneAgent(tmp_path, ramp=0.0)
    now = one.now
    one.agent.set_out_of_service(True, False)
    one.now += 1e-6
    one.agent.set_out_of_service(False, False)
    assert report_in(one.agent.tick(now)).ramp == 1.0


# -- restarts


def test_a_restarted_agent_continues_its_last_instruction(tmp_path):
    agents = [OneAgent(tmp_path, f'node-{number}') for number in (1, 2)]
    agents[0].sensors['in_flight'].value = 500.0
    for _round in range(40):
        round_of(agents)
    before = agents[0].agent.instruction
    again = OneAgent(tmp_path, now=agents[0].now + 2.0, configured=[PEER])
    report = report_in(again.tick(0.0))
    own = before.of('node-1')
    assert own.keep < 1
    assert (report.weight, report.keep, report.take) == (own.weight, own.keep, own.take)
    assert report.ramp == 1.0
    again.tick(3.0)
    assert again.agent.instruction.generation > before.generation


@pytest.mark.parametrize('damage', ['expired', 'other', 'nothing', 'half'])
def test_a_restarted_node_ramps_up_without_a_valid_instruction(tmp_path, damage):
    before = OneAgent(tmp_path)
    before.tick(0.0)
    path, later = before.options.instruction_file, before.now + 1.0
    if damage == 'expired':
        later = before.now + 60.0
    elif damage == 'other':
        os.rename(path, tmp_path / 'node-7.json')
    else:
        with open(path, 'r+b') as file:
            file.truncate(0 if damage == 'nothing' else 100)
    again = OneAgent(tmp_path, 'node-7' if damage == 'other' else 'node-1', now=later)
    report = report_in(again.tick(0.0))
    assert (report.weight, report.ramp) == (None, pytest.approx(0.1))


def test_generation_numbers_continue_after_expired_instructions(tmp_path):
    before = OneAgent(tmp_path)
    before.tick(0.0)
    before.agent.instruction = before.agent.instruction._replace(generation=41)
    before.tick()
    again = OneAgent(tmp_path, now=before.now + 3600.0)
    again.tick(0.0)
    assert again.agent.instruction.generation >= before.agent.instruction.generation >= 41


# -- reports


def test_each_report_has_the_next_sequence_number_and_time(alone):
    first, second = (report_in(alone.tick()) for _tick in range(2))
    assert (second.epoch, second.sequence) == (first.epoch, first.sequence + 1)
    assert second.sent_at == first.sent_at + 1
    assert second.rules == alone.options.plan.digest()


def test_an_agent_that_starts_later_has_a_larger_epoch(tmp_path):
    epochs = [report_in(OneAgent(tmp_path, now=BEGUN + later).tick(0.0)).epoch
              for later in (0.0, 0.001, 1e6)]
    assert epochs == sorted(set(epochs))


def test_a_report_that_would_be_too_long_has_no_metrics(tmp_path):
    one = OneAgent(tmp_path, values={f'metric_of_a_long_name_{n:09}': 1.23456e-7
                                     for n in range(26)})
    for _tick in range(3):
        assert report_in(one.tick()).metrics == {}
    (part, sentence), = one.log
    assert part == 'report'
    assert 'fewer metrics' in sentence
    assert one.part().dns == 1.0


def test_an_instruction_file_that_is_not_writable_is_logged_once(tmp_path):
    place = tmp_path / 'run'
    one = OneAgent(place)
    one.tick()
    one.tick()
    assert one.log == [('instruction', f'{place}/node-1.json: No such file or directory; proxies '
                         'and DNS go on without an instruction')]
    assert one.part().dns == 1.0
    place.mkdir()
    one.tick()
    assert one.agent.faults == {}
    os.unlink(place / 'node-1.json')
    place.rmdir()
    one.tick()
    assert len(one.log) == 2


# -- alerts


def critical(tmp_path):
    """Return a OneAgent whose state is critical from 100 requests in flight on."""
    one = OneAgent(tmp_path)
    one.agent.options = one.options = one.options.__class__(**{
        **vars(one.options), 'plan': one.options.plan._replace(reject=50.0, critical=100.0)})
    return one


def is_critical(one, requests):
    """Return whether so many requests in flight would make a OneAgent send an alert."""
    limit = one.agent.critical_from()
    return limit is not None and requests >= limit


def test_critical_requests_in_flight_are_reported_at_once(tmp_path):
    one = critical(tmp_path)
    assert not is_critical(one, 100)       # there is no instruction yet
    sequence = report_in(one.tick(0.0)).sequence
    assert not is_critical(one, 99)
    assert is_critical(one, 100)
    report = report_in(one.agent.alert(100, one.now))
    assert (report.sequence, report.metrics['in_flight']) == (sequence + 1, 100.0)
    assert one.agent.alerts == 1
    assert one.part().state == CRITICAL
    assert not is_critical(one, 100)       # an alert was sent
    assert report_in(one.tick()).metrics['in_flight'] == 5.0
    assert one.part().state == UP


def test_requests_in_flight_cause_no_alert_if_load_is_cpu(tmp_path):
    one = critical(tmp_path)
    one.tick(0.0)
    one.agent.options = one.options.__class__(**{
        **vars(one.options), 'plan': one.options.plan._replace(metric='cpu')})
    assert not is_critical(one, 1000)


# -- other nodes


def test_a_node_that_stays_silent_is_late_and_then_gone(tmp_path):
    agents = [OneAgent(tmp_path, f'node-{number}') for number in (1, 2, 3, 4)]
    round_of(agents)
    round_of(agents)
    received_at, rest = agents[0].now, agents[:3]
    for seconds, state in ((1.0, UP), (1.0, UP), (1.0, UP), (1.0, LATE), (0.51, GONE)):
        round_of(rest, seconds)
        assert agents[0].agent.states(agents[0].now)['node-4'] == state
        assert (agents[0].part('node-4') is None) == (state == GONE)
    assert agents[0].now == received_at + 4.51
    assert agents[0].agent.next_change(received_at + 2.9) == received_at + 3.0
    assert agents[0].agent.next_change(received_at + 3.1) == received_at + 4.5


def test_a_nodes_address_is_the_one_its_reports_came_from(tmp_path):
    one = OneAgent(tmp_path, bind_ip='2001:db8::1')
    other = OneAgent(tmp_path, 'node-2')
    other.tick()
    one.receive(other)
    assert one.agent.address_of('node-1') == '[2001:db8::1]:6208'
    assert one.agent.address_of('node-2') == '10.0.0.2:6208'
    assert one.agent.address_of('node-3') is None


# -- other options


def changed(one, **options):
    """Give a OneAgent these options anew, as when its conf has changed."""
    one.options = one.options.__class__(**{**vars(one.options), **options})
    one.agent.change(one.options, one.agent.monitor)


def test_keys_can_change_node_by_node_without_refused_reports(tmp_path):
    new = 'the key that comes next'
    agents = [OneAgent(tmp_path, f'node-{number}') for number in (1, 2)]
    for stage in ({'key2': new}, {'key': new, 'key2': KEY}, {'key2': ''}):
        for one in agents:
            changed(one, **stage)
            round_of(agents)
    assert [one.agent.inbox.accepted for one in agents] == [6, 6]
    agents[0].tick()
    assert signature.verified((KEY.encode(),), agents[0].agent.datagram) is None


@pytest.mark.parametrize(('name', 'value'), [
    ('node', 'node-9'), ('bind_ip', '10.0.0.9'), ('bind_port', 9), ('http_ip', '10.0.0.9'),
    ('http_port', 9), ('instruction_file', '/elsewhere')])
def test_some_options_can_be_changed_only_by_a_restart(alone, name, value):
    other = alone.options.__class__(**{**vars(alone.options), name: value, 'interval': 2.0})
    with pytest.raises(AgentError, match=f'^{name} can only be changed by a restart$'):
        alone.agent.change(other, alone.agent.monitor)
    assert alone.agent.options == alone.options


def test_an_agent_without_a_key_accepts_no_report(tmp_path):
    one, other = OneAgent(tmp_path, key=''), OneAgent(tmp_path, 'node-2', key='')
    other.tick()
    assert not one.receive(other)
    one.tick()
    assert one.part().dns == 1.0


def test_an_agent_survives_an_exception_in_the_plan(tmp_path, monkeypatch):
    one = OneAgent(tmp_path)
    one.tick(0.0)
    before = one.agent.instruction
    with monkeypatch.context() as broken:
        broken.setattr('swift_lb.service.agent.plan', lambda *args: 1 / 0)
        one.tick()
    assert 'ZeroDivisionError' in one.agent.faults['plan']
    assert one.agent.instruction is before          # and expires unless the next plan succeeds
    one.tick()
    assert 'plan' not in one.agent.faults


def test_dns_shares_stay_equal_while_two_nodes_sensors_are_stuck(tmp_path):
    agents = [OneAgent(tmp_path, f'node-{number}') for number in (1, 2, 3)]
    for _round in range(60):
        round_of(agents)
        agents[0].sensors['in_flight'].value = 5.0 + _round % 3      # the others' stand still
    shares = [agents[0].part(f'node-{number}').dns for number in (1, 2, 3)]
    assert all(abs(share - 1 / 3) < 0.02 for share in shares)


def test_a_report_between_ticks_repeats_the_last_readings(tmp_path):
    one = OneAgent(tmp_path)
    one.tick(0.0)
    one.sensors['requests'].value = 1e6
    one.agent.set_out_of_service(True, False)
    report = report_in(one.agent.report_now(one.now))
    assert (report.state, report.metrics['requests']) == ('draining', 50.0)
