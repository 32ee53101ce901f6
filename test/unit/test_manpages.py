"""The manual pages and completions have the options of the parsers and samples, and no others."""
import re
import shutil
import subprocess

import pytest
from support.manpages import COMPLETION, MAN, ROOT, sections, tags

from swift_lb.cli import parser_for
from swift_lb.conf_file import AGENT, DNS, IMAGE
from swift_lb.config import options_of
from swift_lb.proxy.dispatch.options import DispatchOptions
from swift_lb.proxy.image.options import ImageFilterOptions
from swift_lb.proxy.status import StatusOptions
from swift_lb.replica_options import OPTIONS, PREFIX
from swift_lb.service import cluster_options
from swift_lb.service import options as agent
from swift_lb.service.dns import options as dns
from swift_lb.service.image import options as image
from swift_lb.storage.load_report import LoadReportOptions

from command_pages import commands, name_of  # isort: skip, support.manpages makes it importable
from pages import every_page  # isort: skip
from roff import Page  # isort: skip

AGAIN = 'run .venv/bin/python tools/manpages'
TABLES = {      # heading of a page of confs: the options of that section
    '[app:proxy-server]': {PREFIX + name for name in OPTIONS},
    '[filter:lb_status]': options_of(StatusOptions),
    '[filter:lb_dispatcher]': options_of(DispatchOptions),
    '[filter:lb_image]': options_of(ImageFilterOptions),
    '[filter:lb_report]': options_of(LoadReportOptions),
    f'[{AGENT}]': agent.AGENT_OPTIONS, '[lb-cluster]': cluster_options.OPTIONS,
    f'[{DNS}]': dns.OPTIONS, f'[{IMAGE}]': image.OPTIONS}


@pytest.fixture(scope='module')
def parser():
    """The parser with all commands."""
    return parser_for(None)


def written():
    """Return {path: text} of the pages in doc/man."""
    return {str(path.relative_to(MAN)): path.read_text(encoding='utf-8')
            for path in MAN.glob('*/*')}


def accepted(command):
    """Return the names of all options that an argparse parser accepts."""
    return {name for action in command._actions for name in action.option_strings}


def test_the_pages_are_those_that_parsers_and_samples_make():
    assert {name: str(page) for name, page in every_page(ROOT / 'etc').items()} == written(), AGAIN


def test_the_page_of_each_command_has_its_options_and_no_others(parser):
    pages = written()
    for command, _summary in commands(parser):
        lines = tags(sections(pages[f'man1/{name_of(command)}.1'])['OPTIONS'])
        found = {name for line in lines for name in re.findall(r'(?:^|, )(--?[\w-]+)', line)}
        assert accepted(command) == found, command.prog


def test_the_pages_of_confs_have_all_options_and_no_others():
    found = {heading: {tag.split()[0] for tag in tags(lines)} for name in (
        'man5/lb-server.conf.5', 'man7/swift-lb-options.7') for heading, lines in sections(
            (MAN / name).read_text(encoding='utf-8')).items() if heading in TABLES}
    assert {heading: set(table) for heading, table in TABLES.items()} == {
        heading: names - {'use'} for heading, names in found.items()}


def test_signs_that_roff_would_take_for_its_own_are_escaped():
    page = Page('a-b', 1, 'text')
    page.text(".png or 'x' of `--a` \\")
    page.literal(['.TH'])
    lines = str(page).split('\n')
    assert r'\&.png or \(aqx\(aq of \fB\-\-a\fR \e' in lines
    assert r'\&.TH' in lines


def test_mandoc_finds_no_error_in_any_page():
    if shutil.which('mandoc') is None:
        pytest.skip('no mandoc on the PATH: apt-get install mandoc, or let tools/test unpack it '
                    'into .venv')
    done = subprocess.run(['mandoc', '-T', 'lint', '-W', 'error', *MAN.glob('*/*')],
                          capture_output=True, text=True, check=False)
    assert (0, '') == (done.returncode, done.stdout), done.stdout


def test_bash_completes_the_options_of_each_command_and_no_others(parser):
    text = (COMPLETION / 'bash' / 'swift-lb').read_text(encoding='utf-8')
    found = {name: set(re.findall(r"'?(-[\w-]+)'?", words)) for name, words in re.findall(
        r'^_shtab_(\w+)_option_strings=\((.*)\)$', text, re.MULTILINE)}
    for command, _summary in commands(parser):
        assert accepted(command) == found[re.sub(r'\W', '_', command.prog)], (command.prog, AGAIN)


def test_zsh_completes_the_options_of_each_command_and_no_others(parser):
    text = (COMPLETION / 'zsh' / '_swift-lb').read_text(encoding='utf-8')
    found = {name: set(re.findall(r'(?<![\w-])(--?[\w-]+)(?=["\[},])', words))
             for name, words in re.findall(
                 r'^_shtab_(\w+)_options=\(\n(.*?)^\)', text, re.MULTILINE | re.DOTALL)}
    for command, _summary in commands(parser):
        assert accepted(command) == found[re.sub(r'\W', '_', command.prog)], (command.prog, AGAIN)


@pytest.mark.parametrize(('words', 'offered'), [
    (['swift-lb', 'be'], ['bench']), (['swift-lb', 'bench', 'run', '--see'], ['--seed']),
    (['swift-lb', 'top', '--sort', 'first'], ['first-byte'])])
def test_bash_completes_a_line_with_the_file(words, offered):
    script = (f'. {COMPLETION / "bash" / "swift-lb"}; COMP_WORDS=({" ".join(words)}); '
              f'COMP_CWORD={len(words) - 1}; _shtab_swift_lb; printf "%s\\n" "${{COMPREPLY[@]}}"')
    done = subprocess.run(['bash', '-c', script], capture_output=True, text=True, check=True)
    assert offered == done.stdout.split()


def test_a_synopsis_puts_an_argument_that_may_be_absent_in_brackets_once():
    lines = sections(written()['man1/swift-lb-check.1'])['SYNOPSIS']
    assert '[FILE]' in lines
