"""`swift-lb bench run` on a real Swift, from the command line, and its result files."""
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from swift_lb.lab.lab import Lab
from swift_lb.lab.spec import LabSpec

SMOKE = Path(__file__).resolve().parents[2] / 'etc' / 'workloads' / 'smoke.xml'
SWIFT_LB = Path(sys.executable).parent / 'swift-lb'


@pytest.fixture(scope='module')
def lab():
    """A running Lab with two proxies and one storage node."""
    with Lab.up(LabSpec(name=f'bench-{os.getpid()}', proxies=2, nodes=1, replicas=1)) as cluster:
        yield cluster


def command(lab, file, archive, *more):
    """Return the command, as words, of `bench run` of a workload `file` on the lab's proxies."""
    urls = [f'{endpoint}/v1/AUTH_test' for endpoint in lab.endpoints]
    words = [SWIFT_LB, 'bench', 'run', file, '--archive', archive, '--token', lab.token() or 'none']
    return [str(word) for word in (*words, *more, *(
        part for url in urls for part in ('--endpoint', url)))]


def rows(path):
    """Return [{heading: cell}] of a CSV file, split at commas only, as COSBench's readers do."""
    heading, *lines = [line.split(',') for line in path.read_text().splitlines()]
    return [dict(zip(heading, line, strict=False)) for line in lines]


@pytest.fixture(scope='module')
def smoke(lab, tmp_path_factory):
    """(Path of the archive, standard output) of `bench run` of the workload SMOKE, run once."""
    archive = tmp_path_factory.mktemp('archive')
    done = subprocess.run(command(lab, SMOKE, archive), capture_output=True, text=True, timeout=180)
    assert done.returncode == 0, done.stdout + done.stderr
    return archive, done.stdout


def test_every_operation_of_the_smoke_workload_succeeds(smoke):
    archive, _output = smoke
    lines = rows(archive / 'w1-smoke' / 'w1-smoke.csv')
    assert [row['Op-Type'] for row in lines] == [
        'init', 'prepare', 'read', 'write', 'list', 'delete', 'cleanup', 'dispose']
    assert {row['Succ-Ratio'] for row in lines} == {'100%'}
    assert {row['Status'] for row in lines} == {'completed'}
    count = {row['Op-Type']: int(row['Op-Count']) for row in lines}
    assert count['prepare'] == 200
    assert sum(count[kind] for kind in ('read', 'write', 'list', 'delete')) == 400


def test_the_archive_of_bench_run_lists_the_run_and_has_a_report(smoke):
    archive, output = smoke
    [history] = rows(archive / 'run-history.csv')
    assert (history['Id'], history['Name'], history['State']) == ('w1', 'smoke', 'finished')
    assert len(rows(archive / 'workloads.csv')) == 8
    assert 'w1 finished' in output
    report = (archive / 'w1-smoke' / 'report.html').read_text()
    assert '<svg' in report
    assert 'smoke' in report


def test_bench_run_sends_requests_to_every_given_endpoint(smoke, lab):
    for proxy in (1, 2):
        assert ' GET /v1/AUTH_test/smoke-1/' in lab.log(f'proxy-{proxy}').read_text()


ENDLESS = '''<workload name="endless"><auth type="none"/><storage type="swift"/><workflow>
<workstage name="main"><work name="main" workers="4" interval="1" runtime="300">
<operation type="list"/></work></workstage>
<workstage name="after"><work name="after" workers="1" totalOps="1"><operation type="list"/></work>
</workstage></workflow></workload>'''


def begun(lab, file, archive):
    """Start `bench run`; return its process once it has printed a line with op/s."""
    going = subprocess.Popen(command(lab, file, archive), stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True)
    for line in going.stdout:
        if 'op/s' in line:
            break
    return going


def test_ctrl_c_ends_bench_run_and_writes_its_results_so_far(lab, tmp_path):
    file = tmp_path / 'endless.xml'
    file.write_text(ENDLESS)
    going = begun(lab, file, tmp_path)
    going.send_signal(signal.SIGINT)
    output, _nothing = going.communicate(timeout=60)
    assert going.returncode == 1
    assert 'w1 terminated' in output
    [first, second] = rows(tmp_path / 'w1-endless' / 'w1-endless.csv')
    assert int(first['Op-Count']) > 0
    assert first['Status'] == 'terminated'
    assert (second['Stage'], second['Op-Count'], second['Status']) == ('after', 'N/A', 'aborted')
    assert rows(tmp_path / 'run-history.csv')[0]['State'] == 'terminated'


def test_bench_run_continues_while_the_proxies_restart(lab, tmp_path):
    file = tmp_path / 'endless.xml'
    file.write_text(ENDLESS.replace('runtime="300"', 'runtime="4"'))
    going = begun(lab, file, tmp_path)
    lab.restart_proxies()
    output, _nothing = going.communicate(timeout=60)
    assert 'Traceback' not in output
    stage = json.loads((tmp_path / 'w1-endless' / 'result.json').read_text())['stages'][0]
    assert 'did not end in time' not in ' '.join(stage['faults'])
    operation = stage['works'][0]['operations'][0]
    assert operation['failures_by_reason']
    assert operation['successes'] > operation['failures'] / 1000
