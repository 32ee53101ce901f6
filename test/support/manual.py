"""Find and run the shell commands on the pages of the manual, doc/*.md."""
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 900       # seconds for a page: this machine may be busy


def commands(page):
    """Return the text of all ```sh blocks of the page at the path `page`, joined in order."""
    return '\n'.join(re.findall(r'^```sh\n(.*?)^```', page.read_text(),
                                re.MULTILINE | re.DOTALL))


PAGES = [page for page in sorted((ROOT / 'doc').glob('*.md')) if commands(page)]
CLUSTERS = ROOT / 'doc' / 'clusters.md'     # its commands need root
LAB = [page for page in PAGES if 'swift-lb lab up' in commands(page) and page != CLUSTERS]


def check(page):
    """Run all commands of the page at the path `page` in one shell; raise if one of them fails."""
    environment = dict(os.environ, PYTHONWARNINGS='ignore',
                       PATH=f'{Path(sys.executable).parent}:{os.environ["PATH"]}')
    done = subprocess.run(['bash', '-e', '-o', 'pipefail', '-c', commands(page)], cwd=ROOT,
                          env=environment, capture_output=True, text=True, timeout=LONGEST,
                          stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stdout + done.stderr
