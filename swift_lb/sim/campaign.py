"""Carry out the runs of a comparison, in one process for each core."""
import multiprocessing
import signal
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

from swift_lb.errors import SimulationError
from swift_lb.sim import shipped
from swift_lb.sim.run import run, shortened

OF_DEVICES = ('shares', 'worst_seconds')     # left out: a scenario may have a thousand devices


def make(steps, processes, keep):
    """Carry out the runs of `steps`; call `keep(Step, figures)` as each one ends.

    Ends the processes at once if it is stopped, for example by Ctrl-C.
    """
    context = multiprocessing.get_context('spawn')    # a fork would inherit the display's thread
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
    signal.signal(signal.SIGINT, signal.SIG_IGN)    # the parent handles Ctrl-C


def result(step):
    """Return the figures of one run as plain data, without those of single devices."""
    scenario = shortened(shipped.load(step.scenario), step.factor)
    found = run(scenario, step.policy, step.seed).document()
    return {name: value for name, value in found.items() if name not in OF_DEVICES}
