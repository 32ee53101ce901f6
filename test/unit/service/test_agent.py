"""An agent without its process: when it first instructs, begins cold, resumes, and says what."""
import os

import pytest
from support.one_agent import BEGUN, KEY, OneAgent, round_of

from swift_lb import instruction_file
from swift_lb.errors import AgentError
from swift_lb.model import CRITICAL, DISABLED, DRAINING, GONE, LATE, UP
from swift_lb.wire import node_report, signature

PEER = ('10.0.0.2', 6208)


def said_by(datagram):
    """Return the Report in a signed datagram."""
    return node_report.decode(signature.verified((KEY.encode(),), datagram))[0]


@pytest.fixture
def alone(tmp_path):
    """An agent without peers that has ticked once."""
    one = OneAgent(tmp_path)
    one.tick(0.0)
    return one


# -- the first Instruction


def test_who_is_alone_instructs_at_once(alone):
    assert alone.part().dns == 1.0
    assert instruction_file.read(alone.options.instruction_file, alone.now)[0] == (
        alone.agent.instruction)


def test_the_first_instruction_waits_for_the_first_round(tmp_path):
    """Or each node that begins would have all clients."""
    one = OneAgent(tmp_path, configured=[PEER])
    one.tick(0.0)
    one.tick(1.9)
    assert one.agent.instruction is None
    assert instruction_file.read(one.options.instruction_file, one.now)[0] is None
    one.tick(0.1)
    assert one.part().dns == 1.0


def test_it_does_not_wait_for_who_has_answered(tmp_path):
    one = OneAgent(tmp_path, configured=[PEER])
    other = OneAgent(tmp_path, 'node-2')
    one.tick(0.0)
    other.tick(0.0)
    assert one.hear(other)
    one.tick(0.1)
    assert {part.node for part in one.agent.instruction.parts} == {'node-1', 'node-2'}


def test_all_agree_whichever_began_first(tmp_path):
    those = [OneAgent(tmp_path, f'node-{number}', now=BEGUN + number / 256)
             for number in (1, 2, 3)]
    for _round in range(5):
        round_of(those)
    found = {(one.agent.instruction.parts, one.agent.instruction.generation) for one in those}
    assert len(found) == 1
    assert sum(part.dns for part in next(iter(found))[0]) == pytest.approx(1)


# -- cold and warm


def ramp_of(one):
    """Return the fraction of its weight that an agent says is due to it."""
    return said_by(one.agent.datagram).ramp


def test_it_begins_cold_and_is_warm_after_the_ramp(alone):
    assert ramp_of(alone) == pytest.approx(0.1)
    alone.tick(15.0)
    for _second in range(16):
        alone.tick(1.0)
    assert ramp_of(alone) == pytest.approx(0.1 + 0.9 * 16 / 30)     # 15 s were a stall


@pytest.mark.parametrize(('pause', 'cold'), [(4.5, False), (4.6, True), (3600.0, True)])
def test_who_was_stopped_for_so_long_that_it_was_gone_is_cold(alone, pause, cold):
    for _second in range(31):
        alone.tick(1.0)
    assert ramp_of(alone) == 1.0
    alone.tick(pause)
    assert ramp_of(alone) == (pytest.approx(0.1) if cold else 1.0)


def test_a_node_that_comes_back_to_service_is_cold_and_one_that_stays_is_not(alone):
    for _second in range(31):
        alone.tick(1.0)
    for drained, disabled, state in ((True, False, DRAINING), (True, True, DRAINING),
                                     (False, True, DISABLED)):
        alone.agent.set_out_of_service(drained, disabled)
        assert said_by(alone.tick()).state == state
        assert ramp_of(alone) == 1.0
    alone.agent.set_out_of_service(False, False)
    assert said_by(alone.tick(0.0)).state == UP
    assert ramp_of(alone) == pytest.approx(0.1)


def test_without_a_ramp_a_node_comes_back_though_the_clock_was_read_a_moment_before(tmp_path):
    one = OneAgent(tmp_path, ramp=0.0)
    now = one.now
    one.agent.set_out_of_service(True, False)
    one.now += 1e-6
    one.agent.set_out_of_service(False, False)
    assert said_by(one.agent.tick(now)).ramp == 1.0


# -- going on where another has left off


def test_who_begins_again_at_once_goes_on(tmp_path):
    those = [OneAgent(tmp_path, f'node-{number}') for number in (1, 2)]
    those[0].sensors['in_flight'].value = 500.0
    for _round in range(40):
        round_of(those)
    before = those[0].agent.instruction
    again = OneAgent(tmp_path, now=those[0].now + 2.0, configured=[PEER])
    report = said_by(again.tick(0.0))
    own = before.of('node-1')
    assert own.keep < 1
    assert (report.weight, report.keep, report.take) == (own.weight, own.keep, own.take)
    assert report.ramp == 1.0
    again.tick(3.0)
    assert again.agent.instruction.generation > before.generation


@pytest.mark.parametrize('damage', ['expired', 'other', 'nothing', 'half'])
def test_who_finds_nothing_of_a_moment_ago_begins_cold(tmp_path, damage):
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
    report = said_by(again.tick(0.0))
    assert (report.weight, report.ramp) == (None, pytest.approx(0.1))


def test_the_number_goes_on_though_the_instruction_has_expired(tmp_path):
    before = OneAgent(tmp_path)
    before.tick(0.0)
    before.agent.instruction = before.agent.instruction._replace(generation=41)
    before.tick()
    again = OneAgent(tmp_path, now=before.now + 3600.0)
    again.tick(0.0)
    assert again.agent.instruction.generation >= before.agent.instruction.generation >= 41


# -- what it says


def test_each_report_is_later_than_the_last(alone):
    first, second = (said_by(alone.tick()) for _tick in range(2))
    assert (second.epoch, second.sequence) == (first.epoch, first.sequence + 1)
    assert second.sent_at == first.sent_at + 1
    assert second.rules == alone.options.plan.digest()


def test_who_begins_later_has_a_larger_epoch(tmp_path):
    epochs = [said_by(OneAgent(tmp_path, now=BEGUN + later).tick(0.0)).epoch
              for later in (0.0, 0.001, 1e6)]
    assert epochs == sorted(set(epochs))


def test_what_is_unknown_is_absent(alone):
    alone.sensors['cpu'].value = None
    alone.sensors['memory'].value = RuntimeError('broken')
    alone.sensors['network'].value = float('nan')
    assert set(said_by(alone.tick()).metrics) == {'in_flight', 'requests', 'response_time'}


def test_a_report_with_too_many_metrics_is_sent_without_and_says_so_once(tmp_path):
    one = OneAgent(tmp_path, values={f'metric_of_a_long_name_{n:09}': 1.23456e-7
                                     for n in range(26)})
    for _tick in range(3):
        assert said_by(one.tick()).metrics == {}
    (part, sentence), = one.said
    assert part == 'report'
    assert 'fewer metrics' in sentence
    assert one.part().dns == 1.0


def test_an_instruction_that_can_not_be_written_is_told_once_and_again_if_it_comes_back(tmp_path):
    place = tmp_path / 'run'
    one = OneAgent(place)
    one.tick()
    one.tick()
    assert one.said == [('instruction', f'{place}/node-1.json: No such file or directory; proxies '
                         'and DNS go on without an instruction')]
    assert one.part().dns == 1.0
    place.mkdir()
    one.tick()
    assert one.agent.faults == {}
    os.unlink(place / 'node-1.json')
    place.rmdir()
    one.tick()
    assert len(one.said) == 2


# -- too many requests


def critical(tmp_path):
    """Return an agent that sheds from 100 requests on."""
    one = OneAgent(tmp_path)
    one.agent.options = one.options = one.options.__class__(**{
        **vars(one.options), 'plan': one.options.plan._replace(reject=50.0, critical=100.0)})
    return one


def is_critical(one, requests):
    """Return whether so many requests are to be told at once."""
    limit = one.agent.critical_from()
    return limit is not None and requests >= limit


def test_an_alert_tells_at_once_what_has_come(tmp_path):
    one = critical(tmp_path)
    assert not is_critical(one, 100)       # it was told nothing yet
    sequence = said_by(one.tick(0.0)).sequence
    assert not is_critical(one, 99)
    assert is_critical(one, 100)
    report = said_by(one.agent.alert(100, one.now))
    assert (report.sequence, report.metrics['in_flight']) == (sequence + 1, 100.0)
    assert one.agent.alerts == 1
    assert one.part().state == CRITICAL
    assert not is_critical(one, 100)       # now it was
    assert said_by(one.tick()).metrics['in_flight'] == 5.0
    assert one.part().state == UP


def test_who_is_judged_by_another_metric_is_not_critical_for_its_requests(tmp_path):
    one = critical(tmp_path)
    one.tick(0.0)
    one.agent.options = one.options.__class__(**{
        **vars(one.options), 'plan': one.options.plan._replace(metric='cpu')})
    assert not is_critical(one, 1000)


# -- others


def test_late_then_gone_then_forgotten_and_when_to_look_again(tmp_path):
    those = [OneAgent(tmp_path, f'node-{number}') for number in (1, 2, 3, 4)]
    round_of(those)
    round_of(those)
    heard_at, rest = those[0].now, those[:3]
    for seconds, state in ((1.0, UP), (1.0, UP), (1.0, UP), (1.0, LATE), (0.51, GONE)):
        round_of(rest, seconds)
        assert those[0].agent.states(those[0].now)['node-4'] == state
        assert (those[0].part('node-4') is None) == (state == GONE)
    assert those[0].now == heard_at + 4.51
    assert those[0].agent.next_change(heard_at + 2.9) == heard_at + 3.0
    assert those[0].agent.next_change(heard_at + 3.1) == heard_at + 4.5


def test_forged_garbled_own_and_old_datagrams_change_nothing(tmp_path):
    one, other = OneAgent(tmp_path), OneAgent(tmp_path, 'node-2')
    one.tick(0.0)
    datagram = other.tick(0.0)
    assert one.hear(other)
    for bad in (datagram, datagram[:-1], b'', one.agent.datagram,
                signature.sign(KEY.encode(), b'[]'), signature.sign(b'another key', b'[]')):
        assert not one.hear(other, bad)
    assert one.agent.inbox.refused == {'replayed': 1, 'forged': 3, 'own': 1, 'garbled': 1}
    assert list(one.agent.inbox.reports) == ['node-1', 'node-2']


def test_the_address_of_a_node_is_where_its_reports_come_from(tmp_path):
    one = OneAgent(tmp_path, bind_ip='2001:db8::1')
    other = OneAgent(tmp_path, 'node-2')
    other.tick()
    one.hear(other)
    assert one.agent.address_of('node-1') == '[2001:db8::1]:6208'
    assert one.agent.address_of('node-2') == '10.0.0.2:6208'
    assert one.agent.address_of('node-3') is None


# -- other options


def changed(one, **options):
    """Give an agent other options."""
    one.options = one.options.__class__(**{**vars(one.options), **options})
    one.agent.change(one.options, one.agent.monitor)


def test_keys_are_changed_on_one_node_after_the_other(tmp_path):
    new = 'the key that comes next'
    those = [OneAgent(tmp_path, f'node-{number}') for number in (1, 2)]
    for stage in ({'key2': new}, {'key': new, 'key2': KEY}, {'key2': ''}):
        for one in those:
            changed(one, **stage)
            round_of(those)
    assert [one.agent.inbox.accepted for one in those] == [6, 6]
    those[0].tick()
    assert signature.verified((KEY.encode(),), those[0].agent.datagram) is None


@pytest.mark.parametrize(('name', 'value'), [
    ('node', 'node-9'), ('bind_ip', '10.0.0.9'), ('bind_port', 9), ('http_ip', '10.0.0.9'),
    ('http_port', 9), ('instruction_file', '/elsewhere')])
def test_what_is_bound_needs_a_restart_and_all_else_stays(alone, name, value):
    other = alone.options.__class__(**{**vars(alone.options), name: value, 'interval': 2.0})
    with pytest.raises(AgentError, match=f'^{name} can only be changed by a restart$'):
        alone.agent.change(other, alone.agent.monitor)
    assert alone.agent.options == alone.options


def test_without_a_key_nothing_is_heard(tmp_path):
    one, other = OneAgent(tmp_path, key=''), OneAgent(tmp_path, 'node-2', key='')
    other.tick()
    assert not one.hear(other)
    one.tick()
    assert one.part().dns == 1.0


def test_who_plans_by_other_options_is_told_apart(tmp_path):
    those = [OneAgent(tmp_path, 'node-1'), OneAgent(tmp_path, 'node-2', rules='tllb')]
    round_of(those)
    found = those[0].agent.inbox.reports['node-2'].report.rules
    assert found != those[0].options.plan.digest()


def test_a_report_of_which_no_plan_can_be_made_ends_no_agent(tmp_path, monkeypatch):
    one = OneAgent(tmp_path)
    one.tick(0.0)
    before = one.agent.instruction
    with monkeypatch.context() as broken:
        broken.setattr('swift_lb.service.agent.plan', lambda *args: 1 / 0)
        one.tick()
    assert 'ZeroDivisionError' in one.agent.faults['plan']
    assert one.agent.instruction is before          # and expires, if it stays so
    one.tick()
    assert 'plan' not in one.agent.faults


def test_a_sensor_that_says_the_same_for_ever_takes_and_loses_nothing(tmp_path):
    those = [OneAgent(tmp_path, f'node-{number}') for number in (1, 2, 3)]
    for _round in range(60):
        round_of(those)
        those[0].sensors['in_flight'].value = 5.0 + _round % 3      # the others' stand still
    shares = [those[0].part(f'node-{number}').dns for number in (1, 2, 3)]
    assert all(abs(share - 1 / 3) < 0.02 for share in shares)


def test_what_is_told_at_once_is_not_measured_anew(tmp_path):
    one = OneAgent(tmp_path)
    one.tick(0.0)
    one.sensors['requests'].value = 1e6
    one.agent.set_out_of_service(True, False)
    said = said_by(one.agent.report_now(one.now))
    assert (said.state, said.metrics['requests']) == ('draining', 50.0)
