"""`swift-lb bench check` and the options of `swift-lb bench run`."""
import argparse
import io
import sys
from pathlib import Path

import pytest

from swift_lb.errors import ConfigError
from swift_lb.workload import check_command, command, run_options

CASES = Path(__file__).resolve().parents[2] / 'cases' / 'cosbench'


def check(path):
    """Run `swift-lb bench check` on `path`; return its exit status."""
    parser = argparse.ArgumentParser()
    check_command.add_arguments(parser)
    return check_command.run(parser.parse_args([str(path)]))


def test_check_prints_what_a_valid_workload_file_would_do(capsys):
    assert 0 == check(CASES / 'whole.xml')
    printed = capsys.readouterr()
    assert '' == printed.err
    assert printed.out.splitlines() == [
        'whole: 6 stages',
        's1-init',
        '  init: 4 workers, auth swauth, storage swift',
        '    100 % init: cprefix=c;containers=r(1,4)',
        's2-prepare',
        '  prepare: 4 workers, auth swauth, storage swift',
        '    100 % prepare: createContainer=false;cprefix=c;containers=r(1,4);objects=r(1,50);'
        'sizes=c(64)KB;hashCheck=true',
        '  then a pause of 5 s',
        's3-main',
        '  main: 8 workers, 300 s, 10 s before and 5 s after that are not measured, auth swauth, '
        'storage swift',
        '     80 % read: cprefix=c;containers=u(1,4);objects=u(1,50);hashCheck=true',
        '     20 % write: cprefix=c;containers=u(1,4);objects=u(51,100);sizes=h(1|4|10,4|64|90)KB'
        ', objects divided',
        's4-open',
        '  open: 64 workers, 60 s, at most 10,000 operations, at most 1,000,000 bytes, '
        '250.5 operations begun per second, auth none, storage mock',
        '     50 % 1-read: cprefix=c;containers=c(1);histogram=false;objects=s(1,9)',
        '     25 % again: cprefix=c;containers=c(1);histogram=false;objects=s(1,9);name=again',
        '     25 % 1-list: cprefix=c;containers=c(1);histogram=false',
        's5-cleanup',
        '  cleanup: 1 worker, auth swauth, storage swift',
        '    100 % cleanup: deleteContainer=false;cprefix=c;containers=1-4;objects=1-100',
        's6-dispose',
        '  dispose: 1 worker, auth swauth, storage swift',
        '    100 % dispose: cprefix=c;containers=r(1,4)',
        'planned time: 6:20 and as long as 4 stages without a runtime will take',
    ]


def test_control_characters_in_a_workloads_name_are_replaced(tmp_path, capsys):
    path = tmp_path / 'w.xml'
    path.write_text((CASES / 'whole.xml').read_text().replace('name="whole"', 'name="&#x202e;x"'))
    assert 0 == check(path)
    assert '\N{REPLACEMENT CHARACTER}x: 6 stages' == capsys.readouterr().out.splitlines()[0]


def test_check_prints_faults_and_warnings_with_line_numbers(tmp_path, capsys):
    path = tmp_path / 'bad.xml'
    path.write_text('<workload name="x" colour="red">\n<workflow>\n<workstage name="s">\n'
                    '<work name="w" workers="0" runtime="1">\n<operation type="list"/>\n'
                    '</work></workstage>\n</workflow></workload>')
    assert 1 == check(path)
    printed = capsys.readouterr()
    assert '' == printed.out
    assert printed.err.splitlines() == [
        f'{path}:4: error: <work> workers="0" must be a whole number from 1 to 100000',
        f'{path}:1: warning: <workload>: the attribute colour is unknown and ignored']


def test_check_reads_the_standard_input_for_a_dash(monkeypatch, capsys):
    monkeypatch.setattr(sys, 'stdin', io.TextIOWrapper(io.BytesIO(b'<workload/>')))
    assert 1 == check('-')
    assert 'standard input:1: error: <workload> has no <workflow>' in capsys.readouterr().err


@pytest.mark.parametrize(('name', 'reason'), [
    ('missing.xml', 'No such file or directory'), ('.', 'Is a directory'), ('a\0b', 'null byte')])
def test_a_missing_workload_file_is_reported_in_one_sentence(tmp_path, name, reason):
    with pytest.raises(ConfigError, match=reason) as caught:
        check(tmp_path / name)
    assert 1 == len(caught.value.faults)
    assert str(tmp_path) in str(caught.value)


def test_check_stops_reading_an_endless_file(capsys):
    assert 1 == check('/dev/zero')
    assert 'has more than 1048576 bytes' in capsys.readouterr().err


@pytest.mark.parametrize('reason', [
    'No such file or directory', 'Not a directory', 'there is no file in it to write', None])
def test_a_workload_with_filewrite_needs_a_folder_with_a_file(tmp_path, capsys, reason):
    folder = tmp_path / 'files'
    if reason == 'Not a directory':
        folder.write_text('x')
    elif reason != 'No such file or directory':
        (folder / 'folder').mkdir(parents=True)
    if not reason:
        (folder / 'file').write_text('x')
    path = tmp_path / 'w.xml'
    path.write_text('<workload name="w"><workflow><workstage name="s"><work name="n" workers="1" '
                    f'runtime="1">\n<operation type="filewrite" config="containers=c(1);'
                    f'fileselection=s;files={folder}"/></work></workstage></workflow></workload>')
    assert bool(reason) == check(path)
    if not reason:
        assert f'files={folder}' in capsys.readouterr().out
        return
    fault = (f'{path}:2: error: <operation type="filewrite"> config: files={folder}: {reason}; '
             'write the path of a folder on this machine that has a file in it')
    assert [fault] == capsys.readouterr().err.splitlines()
    with pytest.raises(ConfigError) as caught:
        command.load(arguments(path))
    assert (fault,) == caught.value.faults


def test_run_prints_the_same_warnings_as_check(tmp_path, capsys):
    path = tmp_path / 'w.xml'
    path.write_text((CASES / 'whole.xml').read_text().replace('u(1,50)', 'u(1,50,9)'))
    assert 0 == check(path)
    warning = (f'{path}:15: warning: <operation type="read"> config: objects=u(1,50,9) is read as '
               'u(1,2147483647), as COSBench reads it\n')
    assert warning == capsys.readouterr().err
    assert command.load(arguments(path)).name == 'whole'
    assert warning == capsys.readouterr().err


def arguments(path='w.xml', *words):
    """Return the parsed arguments, `path` and `words`, of `swift-lb bench run`."""
    parser = argparse.ArgumentParser()
    run_options.add_arguments(parser)
    return parser.parse_args([str(path), *words])


TOKEN = '--token: must be printable ASCII, and not empty'


@pytest.mark.parametrize(('words', 'faults'), [
    *((['--token', token], [TOKEN]) for token in ('', 'a\nb', 'gr\xfc\xdfe')),
    *((['--processes', number], [f'--processes {number}: must be a whole number, 1 to 1024'])
      for number in ('0', '-1', '1025', '99999999999')),
    (['--processes=0', '--endpoint=ftp://h', '--token='],
     ['--endpoint ftp://h: must be http(s)://HOST:PORT or a storage URL',
      '--processes 0: must be a whole number, 1 to 1024', TOKEN])])
def test_all_invalid_options_of_run_are_reported_together(words, faults):
    with pytest.raises(ConfigError) as caught:
        command.check(arguments('w.xml', *words))
    assert faults == list(caught.value.faults)
    command.check(arguments('w.xml', '--processes', '1024'))


@pytest.mark.parametrize(('words', 'token', 'written'), [
    (['--token', 'AUTH_tk=1'], 'AUTH_tk=1', "'my w.xml' --token ..."),
    (['--token=AUTH_tk=1'], 'AUTH_tk=1', "'my w.xml' --token=..."),
    (['--tok=AUTH_tk=1'], 'AUTH_tk=1', "'my w.xml' --tok=..."),
    (['--seed=7'], None, "'my w.xml' --seed=7")])
def test_the_token_is_masked_in_the_stored_command_line(words, token, written, monkeypatch):
    monkeypatch.setattr(sys, 'argv', ['swift-lb', 'bench', 'run', 'my w.xml', *words])
    assert arguments('my w.xml', *words).token == token
    assert command.command_line(token) == f'swift-lb bench run {written}'
