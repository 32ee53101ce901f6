"""Whole runs with driver processes and real sockets, against many kinds of servers."""
import multiprocessing
import os
import signal
import threading
from pathlib import Path

import pytest
from support.scripted_server import REPLY, ScriptedServer, always, read_head, reset

from swift_lb.wire.cosbench.read import read
from swift_lb.workload import controller

TLS = Path(__file__).resolve().parents[1] / 'cases' / 'tls'
CERTIFICATE = TLS / 'localhost.pem', TLS / 'localhost.key'
STORAGE = '<auth type="none"/><storage type="swift" config="storage_url={url};timeout=60000"/>'
MOCK = '<auth type="none"/><storage type="mock" config="delay={delay};errors={errors}"/>'
READ = '<operation type="read" config="containers=c(1);objects=u(1,9)"/>'


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """The controller waits 120 s for drivers before it kills them: the machine may be busy."""
    monkeypatch.setattr(controller, 'LATE', 120.0)


def workload(stages, access):
    """Return the Workload of the XML of stages, and of the auth and storage in `access`."""
    return read(f'<workload name="w">{access}<workflow>{stages}</workflow></workload>'
                .encode()).workload


def stage(work, name='main', operations=READ, more=''):
    return (f'<workstage name="{name}" {more}><work name="main" {work}>{operations}</work>'
            '</workstage>')


def login_at(port):
    """Return the XML of <auth> and <storage> for a login at a port of this machine."""
    return (f'<auth type="swauth" config="username=u;password=p;auth_url=http://127.0.0.1:{port}'
            '/auth/v1.0"/><storage type="swift"/>')


def mock(stages, delay=1, errors=0, **options):
    """Run the XML of stages on COSBench's mock storage, `delay` ms a call; return the RunResult."""
    return controller.run(workload(stages, MOCK.format(delay=delay, errors=errors)),
                          processes=2, **options)


def against(script, work='workers="4" runtime="1"', operations=READ):
    """Run a stage on a ScriptedServer(script); return (RunResult, first operation's OpResult)."""
    with ScriptedServer(script) as server:
        access = STORAGE.format(url=f'http://127.0.0.1:{server.port}/v1/AUTH_t')
        result = controller.run(workload(stage(work, operations=operations), access), processes=2)
    assert not any('did not end in time' in fault for fault in result.stages[0].faults)
    return result, result.stages[0].works[0].ops[0]


def test_a_run_passes_through_cosbenchs_states_and_has_a_timeline():
    result = mock(stage('workers="6" runtime="2" rampup="1" rampdown="1" interval="1"'))
    only = result.stages[0]
    assert [entered.state for entered in only.states] == [
        'waiting', 'booting', 'submitting', 'authing', 'launching', 'running', 'closing',
        'completed']
    assert [entered.state for entered in result.states] == ['queuing', 'processing', 'finished']
    assert len(only.timeline) >= 4
    op = only.works[0].ops[0]
    every = sum(tick.ops[0].successes for tick in only.timeline)
    assert 0 < op.successes < every        # ramps are in the timeline and not in the result
    assert only.window == pytest.approx(2.0, abs=0.01)
    assert op.bytes == 1000 * op.successes  # the mock's default size


@pytest.mark.parametrize(('limits', 'successes'), [
    ('workers="3" totalOps="100"', 99), ('workers="8" totalOps="5"', 5),
    ('workers="2" totalBytes="10000"', 10)])
def test_workers_share_totalops_or_totalbytes_by_integer_division(limits, successes):
    result = mock(stage(limits))
    assert result.stages[0].works[0].ops[0].successes == successes
    assert result.state == 'finished'


def test_operations_are_chosen_by_their_ratios():
    result = mock(stage('workers="2" totalOps="2000"', operations=''.join(
        f'<operation type="{kind}" ratio="{ratio}" config="containers=c(1);objects=c(1);'
        'sizes=c(1)KB"/>' for kind, ratio in (('read', 80), ('write', 15), ('delete', 5)))),
        delay=0, seed=1)
    counts = [op.successes for op in result.stages[0].works[0].ops]
    assert sum(counts) == 2000
    assert counts == pytest.approx([1600, 300, 100], rel=0.25)


def test_each_work_of_a_stage_is_measured_in_its_own_window():
    two = ('<workstage name="two"><work name="a" workers="1" totalOps="20">' + READ + '</work>'
           '<work name="b" workers="1" runtime="3">' + READ + '</work></workstage>')
    result = mock(two, delay=10).stages[0]
    first, second = result.works
    assert first.window > 0.15
    assert second.window == pytest.approx(3.0, abs=0.01)
    assert (first.ops[0].successes, second.ops[0].successes > 0) == (20, True)
    assert all(len(tick.ops) == 2 for tick in result.timeline)


def test_open_loop_response_time_starts_when_a_request_is_due():
    # One worker, 50 ms each, 40 a second: they queue, and the queue is in the response time.
    result = mock(stage('workers="1" runtime="2" rate="40"'), delay=50)
    op = result.stages[0].works[0].ops[0]
    assert op.response_time / op.successes > 0.25
    assert op.successes + op.unfinished == pytest.approx(80, abs=2)   # none is forgotten


def test_operations_due_but_never_started_count_as_unfinished():
    result = mock(stage('workers="2" runtime="1" rate="50000000"')).stages[0]
    op = result.works[0].ops[0]
    assert not any('did not end in time' in fault for fault in result.faults)
    assert op.successes + op.unfinished == pytest.approx(50_000_000, rel=1e-3)


def test_an_open_loop_work_with_totalops_completes_all_operations():
    op = mock(stage('workers="1" totalOps="20" rate="400"'), delay=5).stages[0].works[0].ops[0]
    assert (op.successes, op.unfinished) == (20, 0)


def test_the_next_stage_runs_after_a_failed_stage():
    result = mock(stage('workers="2" totalOps="100"', 'first') + stage('workers="2" totalOps="10"'),
                 errors=1)
    assert [each.state for each in result.stages] == ['failed', 'failed']
    assert result.state == 'failed'
    assert result.stages[0].works[0].ops[0].reasons == {'mock error': 100}


class AtTick(controller.Watch):
    """A Watch that calls `act()` when a stage's timeline has its tick number `number`, from 1."""

    def __init__(self, act, number=1):
        self._act, self._number = act, number

    def tick(self, stage):
        if len(stage.timeline) == self._number:
            self._act()


def test_a_stopped_run_keeps_the_results_so_far():
    stop = threading.Event()
    result = mock(stage('workers="4" runtime="60" interval="1"') + stage('workers="1" runtime="5"'),
                 stop=stop, watch=AtTick(stop.set, 2))
    assert [each.state for each in result.stages] == ['terminated', 'aborted']
    assert result.state == 'terminated'
    assert result.stages[0].works[0].ops[0].successes > 0
    assert 1.5 < result.stages[0].window < 60


@pytest.mark.parametrize('delay', [0.0, 0.1])
def test_a_run_stopped_during_login_has_no_faults(delay, capfd):
    class Stopping(controller.Watch):
        stop = threading.Event()

        def stage(self, stage):
            if stage.state == 'authing':
                threading.Timer(delay, self.stop.set).start()
    watch = Stopping()
    watch.stop.clear()
    result = mock(stage('workers="4" runtime="30"'), watch=watch, stop=watch.stop)
    assert result.stages[0].faults == []
    assert 'Traceback' not in capfd.readouterr().err


@pytest.mark.parametrize(('number', 'fault'), [
    (signal.SIGKILL, 'has died (exit code -9)'), (signal.SIGSTOP, 'did not end in time')])
def test_results_are_kept_if_a_driver_dies_or_hangs(number, fault, monkeypatch):
    if number == signal.SIGSTOP:
        monkeypatch.setattr(controller, 'LATE', 6.0)

    def strike():
        os.kill(multiprocessing.active_children()[0].pid, number)
    result = mock(stage('workers="4" runtime="3" interval="1"') * 2, watch=AtTick(strike))
    assert [each.state for each in result.stages] == ['terminated', 'aborted']
    assert fault in result.stages[0].faults[0]
    assert result.stages[0].works[0].ops[0].successes > 0


def test_a_refused_login_ends_the_run():
    with ScriptedServer(always(b'HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n')) as server:
        result = controller.run(workload(stage('workers="4" runtime="5"') * 2,
                                        login_at(server.port)), processes=2)
    assert [each.state for each in result.stages] == ['terminated', 'aborted']
    assert result.stages[0].faults == ['login: HTTP 401']


def storm(connection, _number):
    """Answer the first request of a connection with success, the next with 503, by turns."""
    number = 0
    while read_head(connection):
        number += 1
        connection.sendall(REPLY if number % 2 else
                           b'HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n')


def resets(connection, number):
    """Answer with success, but reset every third connection after its first request."""
    while read_head(connection):
        if number % 3 == 0:
            reset(connection)
            return
        connection.sendall(REPLY)


def halves(connection, number):
    """Answer 200 with 4 bytes of a body of 100, then close the connection."""
    read_head(connection)
    connection.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf')


@pytest.mark.parametrize(('script', 'reason'), [
    (storm, 'HTTP 503'), (resets, 'connection reset'), (halves, 'body cut short'),
    (always(b'HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n'), 'HTTP 404'),
    (always(b'no HTTP\r\n\r\n'), 'not an HTTP answer'),
])
def test_failed_operations_are_counted_by_reason(script, reason):
    result, op = against(script)
    assert reason in op.reasons
    assert op.failures == sum(op.reasons.values()) > 0
    assert result.state in ('failed', 'finished')


def test_a_run_ends_in_time_if_the_server_never_answers():
    def mute(connection, _number):
        while connection.recv(1000):
            pass
    result, op = against(mute)
    assert op.successes == 0
    assert result.stages[0].state == 'failed'
    assert result.stages[0].faults == [
        f'work main: none of {op.unfinished} operations ended in the measured window']


class Expiring:
    """A script of a server whose tokens are valid for 19 requests, of any client; then 401."""

    def __init__(self):
        self.logins, self._left, self._lock = 0, 0, threading.Lock()

    def __call__(self, connection, _number):
        while head := read_head(connection):
            connection.sendall(self._reply(head))

    def _reply(self, head):
        with self._lock:
            if b'/auth/v1.0' in head:
                self.logins, self._left = self.logins + 1, 20
                return (b'HTTP/1.1 200 OK\r\nX-Storage-Url: http://127.0.0.1:%d/v1/AUTH_t\r\n'
                        b'X-Auth-Token: t\r\nContent-Length: 0\r\n\r\n' % self.port)
            self._left -= 1
            return REPLY if self._left > 0 else (
                b'HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n')


def test_a_workload_over_tls_fails_unless_it_trusts_the_certificate():
    with ScriptedServer(always(REPLY), CERTIFICATE) as server:
        access = STORAGE.format(url=f'https://127.0.0.1:{server.port}/v1/AUTH_t')
        trusting = access.replace('timeout=60000', f'timeout=60000;cacert={CERTIFICATE[0]}')
        good = controller.run(workload(stage('workers="2" totalOps="20"'), trusting)).stages[0]
        bad = controller.run(workload(stage('workers="2" totalOps="20"'), access)).stages[0]
    assert good.works[0].ops[0].successes == 20
    assert dict(bad.works[0].ops[0].reasons) == {'TLS: self-signed certificate': 20}


@pytest.mark.parametrize('stages', [
    stage('workers="1" totalOps="100"'),
    '<workstage name="p"><work type="cleanup" workers="1" config="containers=r(1,1);'
    'objects=r(1,100)"/></workstage>'], ids=['main', 'cleanup'])
def test_an_expired_token_costs_one_operation_and_a_new_login(stages):
    script = Expiring()
    with ScriptedServer(script) as server:
        script.port = server.port
        result = controller.run(workload(stages, login_at(server.port)))
    op = result.stages[0].works[0].ops[0]
    assert script.logins > 3
    assert op.successes + op.failures == 100
    assert script.logins - op.failures in (0, 1)       # 0 if the last operation has failed
    assert set(op.reasons) == {'HTTP 401'}


def test_filewrite_reports_a_missing_folder_once():
    result = mock(stage('workers="4" totalOps="8"', operations=(
        '<operation type="filewrite" config="containers=c(1);files=/nowhere;fileselection=r"/>')))
    assert result.state == 'terminated'
    assert result.stages[0].faults == ['files=/nowhere: No such file or directory']


def test_filewrite_counts_a_failure_if_its_file_vanishes(tmp_path):
    file, stop = tmp_path / 'a', threading.Event()
    file.write_bytes(b'a')

    class Unlinking(controller.Watch):
        def tick(self, stage):
            if stage.timeline[-1].ops[0].failures:
                stop.set()
            file.unlink(missing_ok=True)
    result = mock(stage('workers="2" runtime="60" interval="1"', operations=(
        f'<operation type="filewrite" config="containers=c(1);files={tmp_path};fileselection=r"/>'
    )), watch=Unlinking(), stop=stop)
    assert result.state == 'terminated'
    assert 'filewrite: No such file or directory' in result.stages[0].works[0].ops[0].reasons


def test_filewrite_writes_the_files_of_a_folder_in_turn(tmp_path):
    for name in ('a', 'b b', 'c'):
        (tmp_path / name).write_bytes(name.encode() * 1000)
    seen = []

    def keep(connection, _number):
        while head := read_head(connection):
            seen.append(head.split(b' ')[1])
            left = int(head.partition(b'Content-Length: ')[2].split(b'\r\n')[0])
            while left:
                left -= len(connection.recv(left))
            connection.sendall(b'HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n')
    _found, op = against(keep, 'workers="1" totalOps="6"', (
        f'<operation type="filewrite" config="containers=c(1);files={tmp_path};fileselection=r"/>'))
    assert op.bytes == 2 * 5000
    assert seen == [b'/v1/AUTH_t/mycontainers1/' + name for name in (b'a', b'b%20b', b'c')] * 2


def test_prepare_and_cleanup_count_objects_not_containers():
    result = mock('<workstage name="p"><work type="prepare" workers="4" config="containers=r(1,2);'
                 'objects=r(1,20);sizes=r(1,10)KB;createContainer=true"/></workstage>'
                 '<workstage name="c"><work type="cleanup" workers="4" config="containers=r(1,2);'
                 'objects=r(1,20);deleteContainer=true"/></workstage>')
    prepared, cleaned = (stage.works[0].ops[0] for stage in result.stages)
    assert prepared.successes == cleaned.successes == 40
    assert prepared.bytes == 4 * sum(range(1000, 11000, 1000))   # each size four times
