"""Start and end a server program that Debian ships, in a temporary folder.

The conf files are in support/authorities.py, resolvers.py and haproxy.py. All servers send and
listen on loopback addresses only, and run as the user of the tests.
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
            'pdns_server': 'pdns-server pdns-backend-bind', 'haproxy': 'haproxy'}
# tools/environment.sh unpacks them beside Python; Debian installs servers in /usr/sbin.
PLACES = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get('PATH', os.defpath),
                          '/usr/sbin'])
LONGEST = 60.0      # seconds until a condition holds, and until a server has ended


def wait_until(condition, fault=str):
    """Wait until condition() is true; raises AssertionError with fault() after LONGEST seconds."""
    deadline = monotonic() + LONGEST
    while not condition():
        assert monotonic() < deadline, fault()
        sleep(0.05)


def path_of(program):
    """Return the path of a program, None if it is not installed."""
    return shutil.which(program, path=PLACES)


def missing(*programs):
    """Return a sentence that says how to install the missing programs, None if none is missing."""
    lacking = [program for program in programs if path_of(program) is None]
    if not lacking:
        return None
    return (f'no {" and no ".join(lacking)} on the PATH: apt-get install '
            f'{" ".join(PACKAGES[program] for program in lacking)}, or let tools/test unpack what '
            'it has into .venv')


def pinned(core):
    """Return the words before a command that keep it on one core; no words if `core` is None."""
    return [] if core is None else ['taskset', '-c', str(core)]


class ServerProgram:
    """A server that runs inside a `with` block, by default at a free port; `core`: its only core.

    A subclass sets `program`, `conf_file`, the name of the conf file, `template`, the text of that
    file with {fields}, and `arguments`, the words of the command before the path of that file.
    """

    program = conf_file = template = ''
    arguments = ()

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

    def fields(self):
        """Return {field: value} for the fields of `template`."""
        return {'ip': self.ip, 'port': self.port, 'folder': self.folder}

    def files(self):
        """Return {name: text} of the files to write to the server's folder before its start."""
        return {self.conf_file: self.template.format(**self.fields())}

    def command(self):
        """Return the words of the command that starts the server in the foreground."""
        return [self.program, *self.arguments, self.folder / self.conf_file]

    def log(self):
        """Return what the server has written to its standard output and error."""
        return (self.folder / 'log').read_text(errors='replace')

    def answers(self):
        """Return whether the server answers now; a subclass must define this."""
        raise NotImplementedError

    def _wait(self):
        def ready():
            assert self._process.poll() is None, f'{self.program} has ended: {self.log()}'
            return self.answers()
        wait_until(ready, lambda: f'{self.program} does not answer: {self.log()}')

    def __exit__(self, *_exc):
        self._process.terminate()
        try:
            self._process.wait(LONGEST)
        except subprocess.TimeoutExpired:
            pass
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)     # its workers too
            self._process.wait()
            self._folder.cleanup()


class DnsServer(ServerProgram):
    """A DNS server or resolver that answers for names in `zone`, text without a dot at its end.

    BIND listens only on addresses of an interface: of loopback, those are 127.0.0.1 and ::1.
    """

    question = ('version.bind', 'TXT', 'CH')    # any answer to it means that the server is ready

    def __init__(self, zone, **where):
        super().__init__(**where)
        self.zone = zone

    def fields(self):
        return super().fields() | {'zone': self.zone}

    def ask(self, name, qtype='A', qclass='IN', timeout=30.0):
        """Return the server's reply to one question over UDP; raises dnspython's Timeout."""
        return dns.query.udp(dns.message.make_query(name, qtype, qclass), self.ip, timeout,
                             self.port)

    def is_ready(self, _reply):
        """Return whether the reply to `question`, a dnspython message, shows that it is ready."""
        return True

    def answers(self):
        with contextlib.suppress(Exception):    # of dnspython, if eventlet has two copies of it
            return self.is_ready(self.ask(*self.question, timeout=0.2))
