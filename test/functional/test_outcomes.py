"""test/bench/outcomes, which measures the claims of adaptive: its output, and no lab is left."""
import signal
import subprocess
import sys
from pathlib import Path

from support.cluster import eventually

from swift_lb.lab import place

COMMAND = [sys.executable, str(Path(__file__).resolve().parents[1] / 'bench' / 'outcomes')]


def labs():
    """Return {name of a lab that is up, and that test/bench/outcomes made}."""
    return {name for name in place.names() if name.startswith('outcomes-')}


BUSY = 'the machine has something else to do'       # the verdict where it cannot make the load


def test_the_bench_outcomes_prints_yes_for_a_claim_that_holds():
    before = labs()
    done = subprocess.run([*COMMAND, 'cold-start', '--repeats', '1'], capture_output=True,
                          text=True, timeout=600)
    line, = (line for line in done.stdout.split('\n') if line.startswith('cold-start'))
    assert (done.returncode, line.rstrip().endswith('yes')) == (0, True) or BUSY in line, done
    assert 'Traceback' not in done.stderr
    assert labs() <= before


def test_the_bench_outcomes_ended_by_sigterm_leaves_no_lab():
    before = labs()
    going = subprocess.Popen([*COMMAND, 'cold-start'], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
    name = f'outcomes-disks-{going.pid}'
    assert eventually(lambda: name in labs())
    going.send_signal(signal.SIGTERM)
    _out, err = going.communicate(timeout=300)
    assert going.returncode == 130, err
    assert labs() <= before


def test_the_bench_outcomes_refuses_an_unknown_claim():
    done = subprocess.run([*COMMAND, 'nothing'], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert 'there are paper-16, ' in done.stderr
