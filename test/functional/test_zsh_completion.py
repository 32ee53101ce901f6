"""A real zsh completes lines with the file of the package."""
import os
import pty
import re
import select
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 60       # seconds until zsh has said what is waited for
ZSH = shutil.which('zsh')
# A zsh that tools/environment.sh has unpacked finds neither its modules nor its functions.
PLACE = '{root}/usr/lib/*/zsh/*(N/)', '{root}/usr/share/zsh/functions/**/*(N/)'
STARTUP = """\
module_path=({modules} $module_path)
fpath=({ours} {functions} $fpath)
autoload -Uz compinit && compinit -D -u
show() {{ print -r -- "<$BUFFER>" }}
zle -N show
bindkey '^Xs' show
PS1='ready'
"""


@pytest.fixture
def zsh(tmp_path):
    """Yield a function(line): what zsh makes of a line that ends with the key Tab."""
    if ZSH is None:
        pytest.skip('no zsh on the PATH: apt-get install zsh, or let tools/test unpack it')
    unpacked = Path(ZSH).parents[1] / 'debian'
    modules, functions = (one.format(root=unpacked) for one in PLACE)
    (tmp_path / '.zshrc').write_text(STARTUP.format(
        ours=ROOT / 'doc' / 'completion' / 'zsh', modules=modules, functions=functions))
    process, terminal = pty.fork()
    if process == 0:
        os.execve(ZSH, ['zsh', '-d', '-i'],     # without the files of the host
                  os.environ | {'ZDOTDIR': str(tmp_path), 'TERM': 'dumb'})
    said(terminal, 'ready')

    def complete(line):
        os.write(terminal, f'{line}\t\x18s'.encode())
        return said(terminal, '<(.*?)>')
    yield complete
    os.close(terminal)      # zsh ends with its terminal
    os.waitpid(process, 0)


def said(terminal, pattern):
    """Wait until what is written to a terminal matches a pattern; return the match's last group."""
    text = ''
    while not (match := re.search(pattern, text)):
        assert select.select([terminal], [], [], PATIENCE)[0], text
        text += os.read(terminal, 65536).decode(errors='replace')
    return match[match.lastindex or 0]


@pytest.mark.parametrize(('line', 'completed'), [
    ('swift-lb be', 'swift-lb bench'), ('swift-lb bench run --see', 'swift-lb bench run --seed'),
    ('swift-lb image g', 'swift-lb image get'),
    ('swift-lb top --sort first', 'swift-lb top --sort first-byte')])
def test_zsh_completes_a_line_with_the_file(zsh, line, completed):
    assert completed == zsh(line).rstrip()
