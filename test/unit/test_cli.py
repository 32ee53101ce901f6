"""The command swift-lb without extras, and with a closed or ASCII only standard input or output."""
import configparser
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from swift_lb.cli import EXTRAS, main, stdout_is_closed

COMMAND = [sys.executable, '-c', 'import sys; from swift_lb.cli import main; sys.exit(main())',
           'bench']
WORKLOAD = """<workload name="na\N{LATIN SMALL LETTER I WITH DIAERESIS}ve"><workflow>
<workstage name="s"><work name="n" workers="1" runtime="1" interval="1">
<operation type="read" config="containers=c(1);objects=c(1)"/></work></workstage></workflow>
</workload>"""


@pytest.fixture
def workload(tmp_path):
    """Return the path of a workload file: one worker reads for 1 s, without any storage."""
    path = tmp_path / 'w.xml'
    path.write_text(WORKLOAD, encoding='utf-8')
    return path


def test_characters_that_stdout_cannot_encode_are_escaped(workload):
    run = subprocess.run([*COMMAND, 'check', workload], capture_output=True, check=True,
                         env=os.environ | {'PYTHONIOENCODING': 'ascii'})
    assert b'na\\xefve: 1 stage' == run.stdout.splitlines()[0]
    assert b'' == run.stderr


@pytest.mark.parametrize('unbuffered', ['', '1'])
def test_a_closed_pipe_of_stdout_ends_a_command_silently(workload, unbuffered):
    reader, writer = os.pipe()
    os.close(reader)
    run = subprocess.run([*COMMAND, 'check', workload], stdout=writer, stderr=subprocess.PIPE,
                         check=False, env=os.environ | {'PYTHONUNBUFFERED': unbuffered})
    os.close(writer)
    assert (1, b'') == (run.returncode, run.stderr)


def test_an_open_stdout_is_not_taken_for_a_closed_pipe():
    assert not stdout_is_closed()


def test_bench_run_goes_on_when_the_pipe_of_stdout_is_closed(workload, tmp_path):
    pytest.importorskip('matplotlib')
    reader, writer = os.pipe()
    os.close(reader)
    run = subprocess.run([*COMMAND, 'run', workload, '--processes', '1', '--archive', tmp_path],
                         stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (0, b'') == (run.returncode, run.stderr)
    assert (tmp_path / 'w1-na\N{LATIN SMALL LETTER I WITH DIAERESIS}ve' / 'result.json').exists()


def test_a_closed_standard_input_is_reported_in_one_sentence():
    run = subprocess.run(['/bin/sh', '-c', '"$@" <&-', 'sh', *COMMAND, 'check', '-'],
                         capture_output=True, check=False)
    assert (1, b'standard input: can not be read: it is closed' in run.stderr) \
        == (run.returncode, True)
    assert b'Traceback' not in run.stderr


def without_extras(*words):
    """Run `swift-lb` with `words`, where no package of an extra can be imported."""
    program = ('import sys; from swift_lb import cli; '
               'sys.modules.update(dict.fromkeys(cli.EXTRAS)); sys.exit(cli.main())')
    return subprocess.run([sys.executable, '-W', 'ignore', '-c', program, *words],
                          capture_output=True, text=True, check=False)


@pytest.mark.parametrize(('command', 'option'), [
    ('bench run', '--endpoint URL'), ('bench check', 'FILE'),
    ('bench evaluate', '--report-only DIR'), ('image', 'VERB'), ('image put', '--tile PIXELS'),
    ('image get', '--output FILE'), ('image show', '--points D1')])
def test_help_is_printed_without_extras(command, option):
    done = without_extras(*command.split(), '--help')
    assert (0, '') == (done.returncode, done.stderr)
    assert option in done.stdout


@pytest.mark.parametrize(('words', 'page'), [
    ('bench run w.xml', 'cosbench.md'), ('bench check w.xml', 'cosbench.md'),
    ('bench evaluate --quick', 'cosbench.md'), ('image show c/o', 'images.md')])
def test_a_command_names_the_extra_that_it_lacks(words, page):
    done, extra = without_extras(*words.split()), words.split()[0]
    assert (1, '') == (done.returncode, done.stdout)
    advice = f"pip install 'swift-lb[{extra}]'"
    assert re.fullmatch(rf'swift-lb {extra}[ a-z]*: the Python package \w+ is missing: '
                        rf'{re.escape(advice)}\n', done.stderr)
    manual = Path(__file__).resolve().parents[2] / 'doc' / page
    assert f'`{advice}`' in manual.read_text()


@pytest.mark.parametrize(('words', 'command'), [([], 'check'), (['sim'], 'caches')])
def test_without_a_command_those_that_there_are_are_shown(words, command, capsys):
    assert 2 == main(words)
    out, err = capsys.readouterr()
    assert ('', True) == (out, f'\n    {command} ' in err)


def test_the_extras_that_errors_name_are_those_of_the_package():
    config = configparser.ConfigParser()
    config.read(Path(__file__).resolve().parents[2] / 'setup.cfg')
    names = {'hdrh': 'hdrhistogram', 'PIL': 'pillow'}
    told = {(extra, names.get(package, package)) for package, extra in EXTRAS.items()}
    assert told == {(extra, line.partition('>')[0]) for extra in ('bench', 'image')
                    for line in config['extras'][extra].split()}
