"""Every shell command of the manual works as it is written, page by page."""
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from swift_lb.errors import LabError
from swift_lb.lab.lab import Lab

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 900  # seconds for a page: this machine may be busy


def commands(page):
    """Return the text of a page's ```sh blocks, in order."""
    return '\n'.join(re.findall(r'^```sh\n(.*?)^```', page.read_text(),
                                re.MULTILINE | re.DOTALL))


PAGES = [page for page in sorted((ROOT / 'doc').glob('*.md')) if commands(page)]


@pytest.fixture
def no_default_lab():
    """The manual's commands use the lab called `default`; one that is up is in use."""
    try:
        Lab.find()
    except LabError:
        yield
    else:
        pytest.skip('a lab called `default` is up; the manual would use it and take it down')
    try:
        Lab.find().down()
    except LabError:
        return
    pytest.fail('the page leaves its lab up')


@pytest.mark.parametrize('page', PAGES, ids=lambda page: page.name)
def test_the_commands_of_a_page_succeed(page, no_default_lab, tmp_path):
    environment = dict(os.environ, PYTHONWARNINGS='ignore',
                       PATH=f'{Path(sys.executable).parent}:{os.environ["PATH"]}')
    done = subprocess.run(['bash', '-e', '-o', 'pipefail', '-c', commands(page)], cwd=ROOT,
                          env=environment, capture_output=True, text=True, timeout=LONGEST,
                          stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stdout + done.stderr
