"""The systemd units: they name programs of the package, and confine them."""
import configparser
import re
import shutil
import subprocess

import pytest

from swift_lb.version import CHECKOUT

LIMITS = {'swift-lb-agent': 5.0, 'swift-lb-dns': 4.0, 'swift-lb-image': 4.0}    # of exposure
UNITS = {path.stem: path for path in (CHECKOUT / 'etc' / 'systemd').glob('*.service')}
needs_systemd = pytest.mark.skipif(
    shutil.which('systemd-analyze') is None,
    reason='systemd-analyze is missing: apt install systemd, or dnf install systemd')


def analyze(*words):
    """Return what systemd-analyze prints, to its output and to its errors."""
    run = subprocess.run(['systemd-analyze', *map(str, words)], capture_output=True, text=True,
                         check=False, timeout=60)
    return run.stdout, run.stderr


def test_there_is_a_unit_for_each_daemon():
    assert {*LIMITS} == {*UNITS}


@pytest.mark.parametrize('name', LIMITS)
def test_a_unit_starts_the_program_of_its_name_wherever_it_is_installed(name):
    setup = configparser.RawConfigParser()
    setup.read(CHECKOUT / 'setup.cfg')
    programs = re.findall(r'^(\S+) =', setup['entry_points']['console_scripts'], re.MULTILINE)
    started = re.findall(r'^ExecStart=(.*)$', UNITS[name].read_text(), re.MULTILINE)
    assert [f'{program} /etc/swift/lb-server.conf' for program in programs
            if program == name] == started


@pytest.mark.parametrize('name', LIMITS)
def test_debians_package_of_a_program_has_its_unit_where_systemd_looks(name):
    lists = [path.read_text().splitlines() for path in (CHECKOUT / 'debian').glob('*.install')]
    assert [f'etc/systemd/{name}.service lib/systemd/system' in lines for lines in lists] == [
        f'usr/bin/{name}' in lines for lines in lists]


@needs_systemd
@pytest.mark.parametrize('name', LIMITS)
def test_systemd_finds_no_fault_in_a_unit(name):
    _out, errors = analyze('verify', UNITS[name])
    absent = f'{name}.service: Command {name} is not executable: No such file or directory'
    assert [] == [line for line in errors.splitlines() if line != absent]   # not installed here


@needs_systemd
@pytest.mark.parametrize(('name', 'limit'), LIMITS.items())
def test_a_units_exposure_is_within_its_limit(name, limit):
    text, errors = analyze('security', '--offline=true', '--no-pager', UNITS[name])
    assert '' == errors
    assert limit >= float(re.search(r'exposure level for \S+: ([\d.]+)', text)[1])


def test_the_agent_does_not_remove_what_the_proxies_share():
    """As RemoveIPC= would: the agent has the user of the proxies, whose book is in /dev/shm."""
    assert not re.search('^(RemoveIPC|DynamicUser)=', UNITS['swift-lb-agent'].read_text(),
                         re.MULTILINE)
