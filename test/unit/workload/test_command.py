"""The options of `swift-lb bench run`, and the command line in the result files."""
import argparse
import sys

import pytest

from swift_lb.errors import ConfigError
from swift_lb.workload import command


def arguments(*words):
    """Return the parsed command line of `swift-lb bench run`."""
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return parser.parse_args(['w.xml', *words])


@pytest.mark.parametrize('token', ['', 'a\nb', 'gr\xfc\xdfe'])
def test_token_with_a_line_end_is_refused(token):
    with pytest.raises(ConfigError, match='--token: must be printable ASCII, and not empty'):
        command.check(arguments('--token', token))


def test_all_option_faults_are_reported_together():
    with pytest.raises(ConfigError) as caught:
        command.check(arguments('--processes', '0', '--endpoint', 'ftp://h', '--token', ''))
    assert [fault.split()[0] for fault in caught.value.faults] == [
        '--endpoint', '--processes', '--token:']


@pytest.mark.parametrize('number', ['0', '-1', '1025', '99999999999'])
def test_number_of_drivers_is_limited(number):
    with pytest.raises(ConfigError) as caught:
        command.check(arguments('--processes', number))
    assert (f'--processes {number}: must be a whole number, 1 to 1024',) == caught.value.faults
    command.check(arguments('--processes', '1024'))


@pytest.mark.parametrize('words', [
    ['--token', 'AUTH_tk=1'], ['--token=AUTH_tk=1'], ['--tok=AUTH_tk=1']])
def test_the_token_is_in_no_result_file(words, monkeypatch):
    monkeypatch.setattr(sys, 'argv', ['swift-lb', 'bench', 'run', 'w.xml', *words])
    assert arguments(*words).token == 'AUTH_tk=1'
    written = command.command_line('AUTH_tk=1')
    assert written == f'swift-lb bench run w.xml {words[0].partition("=")[0]}' + (
        ' ...' if words[1:] else '=...')


def test_other_words_of_the_command_are_kept(monkeypatch):
    monkeypatch.setattr(sys, 'argv', ['swift-lb', 'bench', 'run', 'my w.xml', '--seed=7'])
    assert command.command_line(None) == "swift-lb bench run 'my w.xml' --seed=7"
