"""Make the runs of a comparison, one process a core."""
import multiprocessing
import signal
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

from swift_lb.errors import SimulationError
from swift_lb.sim import shipped
from swift_lb.sim.run import run, shortened

OF_DEVICES = ('shares', 'worst_seconds')     # there may be a thousand


def make(steps, processes, keep):
    """Make the runs of `steps`; `keep`(Step, figures) is called as each ends.

    Whatever stops it, Ctrl-C for one, ends the processes at once.
    """
    context = multiprocessing.get_context('spawn')    # a fork would inherit the progress's thread
    pool = ProcessPoolExecutor(processes, context, _begin)
    try:
        futures = {pool.submit(result, step): step for step in steps}
        for future in as_completed(futures):
            keep(futures[future], future.result())
    except BrokenProcessPool:
        raise SimulationError('a process of the simulator was killed: not enough memory? '
                              '--processes 1 needs less') from None
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in multiprocessing.active_children():
            process.terminate()


def _begin():
    signal.signal(signal.SIGINT, signal.SIG_IGN)    # Ctrl-C is the parent's


def result(step):
    """Return the figures of one run as plain data, without those of each device."""
    scenario = shortened(shipped.load(step.scenario), step.factor)
    found = run(scenario, step.policy, step.seed).document()
    return {name: value for name, value in found.items() if name not in OF_DEVICES}
