"""A DNS server of Debian's in a folder of its own: started, waited for, ended.

What each one wants is in support/authorities.py, powerdns.py and resolvers.py. All send and listen
on loopback addresses only, and run as whoever runs the tests.
"""
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

import dns.message
import dns.query

from support.free_port import free_port
from swift_lb.clock import monotonic, sleep

PACKAGES = {'unbound': 'unbound', 'named': 'bind9', 'nsd': 'nsd', 'dnsperf': 'dnsperf',
            'dig': 'bind9-dnsutils', 'knotd': 'knot', 'dnsmasq': 'dnsmasq-base',
            'pdns_server': 'pdns-server pdns-backend-bind'}
# tools/test unpacks them beside Python; Debian has servers where few people have their PATH.
PLACES = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get('PATH', os.defpath),
                          '/usr/sbin'])
LONGEST = 15.0      # seconds until it answers, and until it has ended


def path_of(program):
    """Return the path of a program, None where there is none."""
    return shutil.which(program, path=PLACES)


def missing(*programs):
    """Return what to do about programs that are not here, None if all are."""
    lacking = [program for program in programs if path_of(program) is None]
    if not lacking:
        return None
    return (f'no {" and no ".join(lacking)} on the PATH: apt-get install '
            f'{" ".join(PACKAGES[program] for program in lacking)}, or let tools/test unpack what '
            'it has into .venv')


def pinned(core):
    """Return the words before a command that keep it on one core, none for None."""
    return [] if core is None else ['taskset', '-c', str(core)]


class NameServer:
    """One server while the context lasts, by default at a free port; uses just `core` if given.

    BIND listens on addresses that an interface has: of loopback, that is 127.0.0.1 and ::1.
    """

    program = ''
    question = ('version.bind', 'TXT', 'CH')    # whoever answers it, whatever it answers, is ready

    def __init__(self, ip='127.0.0.1', port=None, core=None):
        self.ip, self.port, self._core = ip, port or free_port(ip), core

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(prefix=f'swift-lb-{self.program}-',
                                                   ignore_cleanup_errors=True)
        self.folder = pathlib.Path(self._folder.name)
        for name, text in self.files().items():
            (self.folder / name).write_text(text)
        program, *words = self.command()
        with open(self.folder / 'log', 'wb') as log:
            self._process = subprocess.Popen(
                [*pinned(self._core), path_of(program), *map(str, words)], cwd=self.folder,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        self.pid = self._process.pid
        try:
            self._wait()
        except BaseException:
            self.__exit__()
            raise
        return self

    def files(self):
        """Return {name: text} of what is in its folder when it starts."""
        raise NotImplementedError

    def command(self):
        """Return the words that start it in the foreground."""
        raise NotImplementedError

    def log(self):
        """Return what it has written."""
        return (self.folder / 'log').read_text(errors='replace')

    def is_ready(self, _reply):
        """Return whether a reply to the question tells that it can be used."""
        return True

    def ask(self, name, kind='A', rdclass='IN', timeout=5.0):
        """Return its reply to one question over UDP; raises dnspython's Timeout."""
        return dns.query.udp(dns.message.make_query(name, kind, rdclass), self.ip, timeout,
                             self.port)

    def _wait(self):
        deadline = monotonic() + LONGEST
        while True:
            with contextlib.suppress(Exception):    # of dnspython, if eventlet has two copies of it
                if self.is_ready(self.ask(*self.question, timeout=0.2)):
                    return
            assert self._process.poll() is None, f'{self.program} has ended: {self.log()}'
            assert monotonic() < deadline, f'{self.program} does not answer: {self.log()}'
            sleep(0.02)

    def __exit__(self, *_exc):
        self._process.terminate()
        try:
            self._process.wait(LONGEST)
        except subprocess.TimeoutExpired:
            pass
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)     # and its workers, if they are left
            self._process.wait()
            self._folder.cleanup()
