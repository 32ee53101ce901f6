"""The states of a workload's run, with a driver that carries out every work at once."""
import pytest

from swift_lb.wire.cosbench.model import Operation, Work, Workload, Workstage
from swift_lb.workload.controller import Watch, _Run
from swift_lb.workload.driver import Done
from swift_lb.workload.tally import WorkTally

READ = Operation('read', name='read')


class ScriptedDrivers:
    """A stand-in for one driver; of each work's two operations the first `failures` fail."""

    number = 1

    def __init__(self, failures, faults=()):
        self._failures, self._faults, self._messages = failures, list(faults), []

    def submit(self, works, _endpoints, _seed):
        self._tallies = [WorkTally(1, 1, 0.0, float('inf')) for _work in works]
        self._messages = [(0, 'ready', [])]

    def send(self, kind, start=None):
        if kind == 'start':
            for tally in self._tallies:
                for number in range(2):
                    if number < self._failures:
                        tally.failure(0, 0, start + number, start + number + 1, 'HTTP 503')
                    else:
                        tally.success(0, 0, start + number, start + number + 1, 0.0, 1)
            self._messages.append((0, 'done', Done(
                start + 2, [tally.progress() for tally in self._tallies],
                [tally.counts() for tally in self._tallies], self._faults,
                [start + 2] * len(self._tallies))))

    def receive(self, _timeout):
        messages, self._messages = self._messages, []
        return messages


class Stop:
    """An event that is set during a wait if `pressed`, else never."""

    def __init__(self, pressed=False):
        self._pressed, self._set, self.waited = pressed, False, []

    def is_set(self):
        return self._set

    def wait(self, seconds):
        self.waited.append(seconds)
        self._set = self._pressed
        return self._set


def run(drivers, stop):
    """Return the RunResult of two stages, the first with a closuredelay of 7 s."""
    work = Work('main', total_ops=2, afr=0, operations=(READ,))
    stages = (Workstage('one', 7, works=(work,), id='s1-one'),
              Workstage('two', works=(work,), id='s2-two'))
    return _Run(Workload('demo', stages=stages), drivers, (), Watch(), stop, 1).run()


def states(result):
    """Return the names of the states that a run or stage has entered, in order."""
    return [entered.state for entered in result.states]


WORKED = ['waiting', 'booting', 'submitting', 'authing', 'launching', 'running', 'closing']


@pytest.mark.parametrize(('failures', 'ended', 'whole'), [
    (0, 'completed', 'finished'), (1, 'failed', 'failed')])
def test_closuredelay_pauses_after_failed_stages_too(failures, ended, whole):
    stop = Stop()
    result = run(ScriptedDrivers(failures), stop)
    assert [states(stage) for stage in result.stages] == [[*WORKED, 'sleeping', ended],
                                                         [*WORKED, ended]]
    assert stop.waited == [7]
    assert states(result) == ['queuing', 'processing', whole]


def test_a_terminated_stage_is_not_followed_by_closuredelay():
    stop = Stop()
    result = run(ScriptedDrivers(0, ['KeyError: a worker died']), stop)
    assert [stage.state for stage in result.stages] == ['terminated', 'aborted']
    assert stop.waited == []
    assert result.state == 'terminated'


@pytest.mark.parametrize('failures', [0, 1])
def test_a_pause_of_closuredelay_can_be_interrupted(failures):
    result = run(ScriptedDrivers(failures), Stop(pressed=True))
    assert [states(stage) for stage in result.stages] == [[*WORKED, 'sleeping', 'terminated'],
                                                         ['waiting', 'aborted']]
