"""DevStack with the plug-in of `devstack/`, without root: the functions of run.sh, in a folder."""
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys

import psutil

from swift_lb.lab.build import write_launcher

RUN = pathlib.Path(__file__).with_name('run.sh')
PLUGIN = RUN.parents[3] / 'devstack'
BEFORE = (('run_phase', 'stack', 'pre-install'), ('install_swift',), ('configure_swift',),
          ('run_phase', 'stack', 'install'), ('init_swift',))
AFTER = (('merge_local_conf',), ('start_swift',), ('run_phase', 'stack', 'extra'),
         ('run_phase', 'stack', 'test-config'))     # after post-config
# swift-init reads the folder of confs from a constant.
INIT = '''\
import sys
from swift.common import manager
manager.SWIFT_DIR = {conf!r}
sys.exit(manager.main())
'''


class DevStack:
    """What stack.sh, unstack.sh and clean.sh do, step by step, in the folder `dest`.

    `swift` is the tree of Swift's sdist, `data` a folder of a file system with large extended
    attributes, `localrc` the variables that a local.conf sets. A `with` block ends all processes.
    """

    def __init__(self, dest, data, swift, ip='127.0.0.1', **localrc):
        self.dest, self.data, self.ip, self.conf = dest, data, ip, dest / 'etc'
        self.localrc = localrc
        self._env = os.environ | {
            'DEST': str(dest), 'DATA_DIR': str(data), 'HOST_IP': ip, 'PYTHON': sys.executable,
            'PYTHONWARNINGS': 'ignore', 'DEVSTACK_DIR': '', **localrc}
        for folder in ('bin', 'etc', 'status'):
            (dest / folder).mkdir()
        (dest / 'swift').symlink_to(swift)

    def install(self):
        """Write the programs of Swift and swift-lb, with this DevStack's folder of confs."""
        beside = pathlib.Path(sys.executable).parent
        for path in (*beside.glob('swift-*'), beside / 'swift-lb'):
            write_launcher(self.dest / 'bin' / path.name, self.conf)
        (self.dest / 'bin' / 'swift-init').write_text(
            f'#!{sys.executable}\n' + INIT.format(conf=str(self.conf)))

    def run(self, *words):
        """Run a function of DevStack; return the CompletedProcess, with its output as text."""
        with open(self.dest / 'output', 'w+') as output:    # its processes keep no pipe of ours
            done = subprocess.run(['bash', RUN, *words], env=self._env, stdin=subprocess.DEVNULL,
                                  stdout=output, stderr=output, timeout=300, check=False)
            output.seek(0)
            done.stdout = output.read()
        return done

    def succeed(self, *words):
        """Run a function of DevStack, which must succeed; return its output."""
        done = self.run(*words)
        assert done.returncode == 0, f'{" ".join(words)}: {done.stdout}\n{self.logs()}'
        return done.stdout

    def confs(self):
        """Return {path: (bytes, mode)} of all files in the folder of confs."""
        return {path: (path.read_bytes(), path.stat().st_mode)
                for path in sorted(self.conf.rglob('*')) if path.is_file()}

    def pid(self, service):
        """Return the pid of the process of `service`, None if DevStack has not started it."""
        with contextlib.suppress(FileNotFoundError):
            return int((self.dest / 'status' / f'{service}.pid').read_text())
        return None

    def logs(self):
        """Return the last lines of the log of each process, as one text."""
        return '\n'.join(f'{path.stem}: {path.read_text(errors="replace")[-1500:]}'
                         for path in sorted((self.dest / 'status').glob('*.log')))

    def __enter__(self):
        return self

    def __exit__(self, *_exc):
        # swift-init, of a checkout, keeps pids in a folder of its own.
        for path in (*self.dest.glob('status/*.pid'), *self.data.glob('swift/run/**/*.pid')):
            with contextlib.suppress(psutil.NoSuchProcess):
                process = psutil.Process(int(path.read_text()))
                for one in (process, *process.children(recursive=True)):
                    one.kill()
        shutil.rmtree(self.data, ignore_errors=True)
