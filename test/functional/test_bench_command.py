"""`swift-lb bench run` with a closed output, a full archive and signals; needs no Swift."""
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

SWIFT_LB = Path(sys.executable).parent / 'swift-lb'
WORKLOAD = '''<workload name="mock"><auth type="none"/><storage type="mock" config="delay=2"/>
<workflow><workstage name="main"><work name="main" workers="4" interval="1" runtime="{seconds}">
<operation type="read" config="containers=c(1);objects=u(1,9)"/></work></workstage></workflow>
</workload>'''


@pytest.fixture
def words(tmp_path):
    """A function(seconds): it returns the words of a `bench run` that takes so long."""
    def words(seconds):
        file = tmp_path / 'mock.xml'
        file.write_text(WORKLOAD.format(seconds=seconds))
        return [str(word) for word in (SWIFT_LB, 'bench', 'run', file, '--archive', tmp_path / 'a')]
    return words


def small_files():
    """Let this process write files of 20 kB at most."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))


def test_bench_run_completes_if_stdout_cannot_be_written(words, tmp_path):
    with open('/dev/full', 'w') as full:
        done = subprocess.run(words(1), stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, '')
    assert (tmp_path / 'a' / 'w1-mock' / 'report.html').exists()


def test_the_summary_is_printed_if_the_archive_is_full(words, tmp_path):
    done = subprocess.run(words(1), capture_output=True, text=True, timeout=60,
                          preexec_fn=small_files, env={**os.environ, 'COLUMNS': '40'})
    assert done.returncode == 1
    assert done.stderr.startswith('swift-lb bench run: the archive cannot be written: ')
    assert 'p99.9' in done.stdout
    assert '…' not in done.stdout
    assert not (tmp_path / 'a' / 'w1-mock').exists()


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_bench_run_is_terminated_if_all_processes_get_a_signal(words, number):
    going = subprocess.Popen(words(60), stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True, start_new_session=True)
    for line in going.stdout:
        if 'booting' in line if number == signal.SIGINT else 'op/s' in line:
            break
    os.killpg(going.pid, number)
    output, errors = going.communicate(timeout=50)   # the run itself would take longer
    assert (going.returncode, errors) == (1, '')
    assert 'w1 terminated' in output
    assert 'died' not in output
