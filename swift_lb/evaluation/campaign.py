"""Make the runs of a plan, one after another, and store the figures or the failure of each."""
import signal
from contextlib import contextmanager, suppress

from swift_lb.clock import local_time, monotonic
from swift_lb.errors import EvaluationError, SwiftLBError
from swift_lb.evaluation import workloads
from swift_lb.evaluation.measure import measure
from swift_lb.evaluation.node_share import Poll
from swift_lb.evaluation.plan import lengths_of
from swift_lb.evaluation.run_result import EvaluationRun

STARTS = 2      # attempts to start the subject before giving up
ONLY_READS = 100


class Began:
    """Keeps in `at` when a run's workers started, in seconds since the Poll `poll` was entered."""

    def __init__(self, poll):
        self._poll, self.at = poll, 0.0

    def stage(self, stage):
        """Note the present time if `stage`, a StageResult, has just begun to run."""
        if stage.state == 'running':
            self.at = self._poll.now

    def tick(self, _stage):
        """Do nothing when a stage reports new figures: only its start is noted."""


def run_steps(subject, store, steps, progress):
    """Make the runs of those `steps` that `store` lacks, on `subject`; keep each result in `store`.

    `subject` is the lab or cluster that is measured. `progress` gets the calls begin(step, number)
    before a run and end(its EvaluationRun) after it. Raises EvaluationError if the subject cannot
    be started, or is lost and cannot be started again.
    """
    with started(subject):
        store.learn(store.facts | subject.facts())
        for number, step in enumerate(steps, 1):
            if not store.finished(step):
                progress.begin(step, number)
                run = attempt(subject, store.plan, step)
                store.add(run)
                progress.end(run)


@contextmanager
def started(subject):
    """Start `subject`, the measured lab or cluster, for the time of the context; then stop it."""
    _start(subject)
    try:
        yield
    finally:
        _stop(subject)


def _start(subject):
    for left in reversed(range(STARTS)):
        try:
            return subject.start()
        except BaseException as err:
            with suppress(SwiftLBError):  # report why it did not start, not why it did not stop
                _stop(subject)
            if not isinstance(err, (SwiftLBError, OSError)):
                raise
            if not left:
                raise EvaluationError(f'what is to be measured does not start: {err}') from err


def _stop(subject):
    """Stop `subject`, the measured lab or cluster; a second Ctrl-C does not interrupt this."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        subject.stop()
    finally:
        signal.signal(signal.SIGINT, before)


def attempt(subject, plan, step):
    """Make the run of `step`; return its EvaluationRun, with figures or the reason of a failure.

    A `subject` of which a process has died is started anew before the run.
    """
    began, at = local_time(), monotonic()
    if not subject.well:
        _stop(subject)
        _start(subject)
    try:
        run = _measure(subject, plan, step)
    except (SwiftLBError, OSError) as err:
        run = EvaluationRun(step, fault=' '.join(str(err).split()) or type(err).__name__)
    return EvaluationRun(**vars(run) | {'began': began.isoformat(timespec='seconds'),
                                        'took': round(monotonic() - at, 1)})


def _measure(subject, plan, step):
    subject.ready(step)
    lengths = lengths_of(plan, step)
    text = workloads.mixed(subject.access, step.size, step.workers, lengths,
                           ONLY_READS if step.node else plan.read, plan.objects)
    with Poll(subject.counts) as poll:
        watch = Began(poll)
        ops = measure(text, watch, subject.access.endpoints, subject.processes, seed=step.repeat)
    if not any(one.count or one.failures or one.ended for one in ops.values()):
        raise EvaluationError('nothing was answered in the measured window, not even with an error')
    begin = watch.at + lengths[0]
    return EvaluationRun(step, ops, poll.reads, (round(begin, 3), round(begin + lengths[1], 3)))
