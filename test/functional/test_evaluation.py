"""`swift-lb bench evaluate` on a real Swift: interrupted, gone on with, and on a given cluster."""
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from swift_lb.lab import conf, place
from swift_lb.lab.lab import Lab
from swift_lb.lab.ready import http_get
from swift_lb.lab.spec import LabSpec

NAME = f'evaluate-{os.getpid()}'
SWIFT_LB = Path(sys.executable).parent / 'swift-lb'
SHORT = ('--sizes', '4KB', '--workers', '4', '--repeats', '1', '--seconds', '1', '--ramp-up', '1',
         '--objects', '10')
ON_LAB = (*SHORT, '--policies', 'swift:affinity,lb_rlt@read', '--proxy-workers', '1', '--nodes',
          '2', '--profile', 'even', '--name', NAME)


def start(folder, *words, **environment):
    """Start an evaluation into `folder`, and return its process."""
    return subprocess.Popen(
        [SWIFT_LB, 'bench', 'evaluate', '--output', folder, *words], text=True,
        env=dict(os.environ, PYTHONWARNINGS='ignore', PYTHONUNBUFFERED='1', **environment),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def stored_runs(folder):
    """Return [the JSON of a run] of the file cells.jsonl, in which an evaluation keeps its runs."""
    return [json.loads(line) for line in (folder / 'cells.jsonl').read_text().splitlines()]


@pytest.fixture(scope='module')
def interrupted(tmp_path_factory):
    """(Folder, output, exit status) of an evaluation that got Ctrl-C in its second run."""
    folder = tmp_path_factory.mktemp('evaluation')
    going, messages = start(folder, *ON_LAB), []
    for line in going.stdout:
        messages.append(line)
        if line.startswith('2/6') and not any(each.startswith('2/6') for each in messages[:-1]):
            going.send_signal(signal.SIGINT)    # once: on a slow machine the line comes again
    return folder, ''.join(messages), going.wait(300)


def test_ctrl_c_lets_an_evaluation_write_its_report_and_end_its_lab(interrupted):
    folder, said, status = interrupted
    assert status == 130
    assert '1 of 6 runs have figures' in said
    assert 'Traceback' not in said
    assert (folder / 'report.html').exists()
    assert NAME not in place.names()


def test_a_continued_evaluation_makes_only_the_missing_runs(interrupted):
    folder, _said, _status = interrupted
    going = start(folder, *ON_LAB)
    output, _ = going.communicate(timeout=600)
    assert going.returncode == 0, output
    assert '5 runs to be made, 1 are there' in output
    results = {(run['step']['policy'], run['step']['workers']): run for run in stored_runs(folder)}
    assert {policy for policy, _workers in results} == {
        'node:1', 'node:2', 'swift:affinity', 'lb_rlt@read'}
    for run in results.values():
        assert run['fault'] is None
        assert run['ops']['read']['ended'] > 0
    reads = [counts for _second, counts in results['node:2', 16]['reads']]
    assert sum(counts['2'] for counts in reads) > 0 == sum(counts['1'] for counts in reads)
    assert NAME not in place.names()


def test_an_evaluation_leaves_no_containers_on_a_given_cluster(tmp_path):
    with Lab.up(LabSpec(name=f'{NAME}-given', nodes=1, replicas=1)) as lab:
        if not lab.memcached:
            pytest.skip('without memcached there is nothing to log in to')
        going = start(tmp_path / 'out', *SHORT, '--auth', f'{lab.endpoint}/auth/v1.0', '--user',
                      conf.USER, '--label', 'mine', ST_KEY=conf.KEY)
        output, _ = going.communicate(timeout=600)
        assert going.returncode == 0, output
        address, port = lab.endpoint.removeprefix('http://').split(':')
        status, _headers, left = http_get(address, int(port), '/v1/AUTH_test', 5,
                                          {'X-Auth-Token': lab.token()})
    assert (status, left) in ((200, b''), (204, b''))
    [run] = stored_runs(tmp_path / 'out')
    assert run['step']['policy'] == 'mine'
    assert run['ops']['write']['ended'] > 0
    written = ''.join(path.read_text() for path in (tmp_path / 'out').iterdir() if path.is_file())
    assert conf.KEY not in written.replace('test:tester', '')
