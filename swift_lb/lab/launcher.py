"""Scripts that start Swift's servers with the lab's own swift.conf.

Swift parses its storage policies while it is imported, from /etc/swift/swift.conf, unless
set_swift_dir() is called first. A launcher calls it and runs the real script. sys.argv[0] stays the
launcher, because a reload (SIGUSR1) executes that file again.
"""
import pathlib
import shutil
import sys

from swift_lb.errors import LabError

TEXT = '''\
#!{python}
"""Start {script} with the swift.conf of this lab."""
from swift.common.utils import set_swift_dir

set_swift_dir({swift_dir!r})
with open({script!r}) as script:
    # Not runpy: it would put the real script's path into sys.argv[0].
    exec(compile(script.read(), {script!r}, 'exec'))
'''


def write_launcher(path, swift_dir):
    """Write a launcher for the Swift script with the same file name as `path`; return `path`."""
    path.write_text(TEXT.format(python=sys.executable, script=_script(path.name),
                                swift_dir=str(swift_dir)))
    path.chmod(0o700)
    return path


def _script(name):
    beside = pathlib.Path(sys.executable).with_name(name)
    found = str(beside) if beside.exists() else shutil.which(name)
    if not found:
        raise LabError(f'{name} is neither beside {sys.executable} nor on PATH; '
                       'install Swift for this Python: pip install swift')
    return found
