"""Real agents, each a process of its own on a loopback address of its own."""
import contextlib
import http.client
import json
import os
import pathlib
import pwd
import random
import shutil
import signal
import subprocess
import sys
import tempfile

from support.free_port import claim, is_free
from swift_lb.clock import monotonic, sleep

KEY = 'a key that all nodes have'
PORT = 6208
NETS = [f'127.{number}' for number in range(70, 120)]
LIMIT = 60.0        # seconds that a test waits for a condition
CONF = '''\
[DEFAULT]
swift_dir = {directory}
user = {user}
log_address = {directory}/nowhere

[lb-agent]
node = {node}
bind_ip = {ip}
http_ip = {ip}
peers = {peers}
key = {key}
proxy_conf = {directory}/{node}/proxy-server.conf
proxy = {ip}:8080
check = false
instruction_file = {directory}/{node}/run/instruction.json
{options}
'''
# The script of swift-lb-agent, which need not be installed.
RUN = 'from swift_lb.service.daemon import main; main()'
# A fork server: it has imported the agent, which takes a second, and forks into agents.
FORK_SERVER = '''
import json, os, signal, sys
import swift_lb.service.daemon
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for line in sys.stdin:
    conf, log, program = json.loads(line)
    pid = os.fork()
    if not pid:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
        os.dup2(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND), 1)
        os.dup2(1, 2)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        sys.argv = ["swift-lb-agent", conf]
        exec(program, {"__name__": "__main__"})
        os._exit(0)
    print(pid, flush=True)
'''


class Agents:
    """`count` agents, named node-1, node-2 and so on; start() starts and close() ends them."""

    def __init__(self, count, options='', peers=None, ips=None, inside=lambda name: []):
        """`options`: lines of [lb-agent]; `peers(name)`: ips of peers, by default all others.

        `ips` are the agents' addresses; `inside(name)` returns words to put before the command that
        starts an agent, such as those that enter a namespace.
        """
        self.directory = pathlib.Path(tempfile.mkdtemp(
            prefix='swift-lb-agents-', dir='/dev/shm' if os.path.isdir('/dev/shm') else None))
        # Tests run in parallel: each Agents has a network that no other one uses.
        net, self._claim = next(
            (net, held) for net in random.SystemRandom().sample(NETS, len(NETS))
            if is_free(f'{net}.0.1', PORT) and (held := claim(f'net {net}')))
        self.names = [f'node-{number}' for number in range(1, count + 1)]
        self.ips = dict(zip(self.names, ips or [
            f'{net}.{number // 250}.{number % 250 + 1}' for number in range(count)], strict=True))
        self.pids, self._options, self._inside = {}, options, inside
        self._others, self._fork_server = [], None
        self._peers = peers or (lambda name: [ip for one, ip in self.ips.items() if one != name])
        (self.directory / 'swift.conf').write_text(
            '[swift-hash]\nswift_hash_path_suffix = agents\n')
        for name in self.names:
            self.configure(name)

    def configure(self, name, options=None):
        """Write the conf of the agent `name`; an agent that runs reads it at SIGHUP."""
        place = self.directory / name
        (place / 'run').mkdir(parents=True, exist_ok=True)
        (place / 'lb-server.conf').write_text(CONF.format(
            directory=self.directory, user=_user(), node=name, ip=self.ips[name],
            peers=', '.join(self._peers(name)), key=KEY,
            options=self._options if options is None else options))

    def start(self, *names, before=''):
        """Start agents, all by default, each after the Python code `before`; return at once."""
        for name in names or self.names:
            place = self.directory / name
            conf, log = str(place / 'lb-server.conf'), str(place / 'log')
            elsewhere = self._inside(name)
            self.pids[name] = (self._spawned(elsewhere, conf, log) if elsewhere
                               else self._forked(conf, log, before + RUN))

    def _spawned(self, elsewhere, conf, log):
        with open(log, 'ab') as out:
            other = subprocess.Popen(
                [*elsewhere, sys.executable, '-W', 'ignore', '-c', RUN, conf], cwd='/',
                stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True)
        self._others.append(other)
        return other.pid

    def _forked(self, conf, log, program):
        if self._fork_server is None:
            self._fork_server = subprocess.Popen(
                [sys.executable, '-W', 'ignore', '-c', FORK_SERVER], cwd='/', text=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        print(json.dumps([conf, log, program]), file=self._fork_server.stdin, flush=True)
        return int(self._fork_server.stdout.readline())

    def kill(self, *names, number=signal.SIGKILL):
        """Send agents the signal `number`; if it is SIGKILL, return when they have ended."""
        for name in names:
            os.kill(self.pids[name], number)
            while number == signal.SIGKILL and os.path.exists(f'/proc/{self.pids[name]}'):
                for other in self._others:
                    other.poll()
                sleep(0.005)

    def log(self, name):
        return (self.directory / name / 'log').read_text()

    def ask(self, name, path, method='GET', **headers):
        """Return (status, body) of an agent's response; raises OSError if there is none."""
        connection = http.client.HTTPConnection(self.ips[name], PORT + 1, timeout=LIMIT)
        with contextlib.closing(connection):
            connection.request(method, path, headers={key.replace('_', '-'): value
                                                 for key, value in headers.items()})
            answer = connection.getresponse()
            return answer.status, answer.read()

    def document(self, name, what='cluster'):
        """Return the JSON of GET /v1/`what` of the agent `name`; None without an answer 200."""
        try:
            status, body = self.ask(name, f'/v1/{what}')
        except (OSError, http.client.HTTPException):
            return None
        return json.loads(body) if status == 200 else None

    def instruction(self, name):
        """Return {node: its part, a dict} of the Instruction of the agent `name`; {} without."""
        instruction = self.document(name, 'instruction') or {'parts': []}
        return {part['node']: part for part in instruction['parts']}

    def wait_until(self, condition, seconds=LIMIT):
        """Return the seconds until `condition()` holds; AssertionError after `seconds`."""
        began = monotonic()
        while not condition():
            assert monotonic() - began < seconds, f'not within {seconds} s'
            sleep(0.05)
        return monotonic() - began

    def wait_for_agreement(self, among, up=None, seconds=LIMIT):
        """Return the seconds until up() of all agents in `among` is `up`, by default `among`."""
        wanted = set(among if up is None else up)
        return self.wait_until(lambda: all(self.up(name) == wanted for name in among), seconds)

    def up(self, name):
        """Return {node with a DNS share above 0} in the instruction of the agent `name`."""
        return {node for node, part in self.instruction(name).items() if part['dns'] > 0}

    def close(self):
        """End all agents, and remove their files."""
        for pid in self.pids.values():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)
        for other in (*self._others, *filter(None, [self._fork_server])):
            other.kill()
            other.communicate()
        shutil.rmtree(self.directory, ignore_errors=True)
        self._claim.close()

    def __enter__(self):
        return self

    def __exit__(self, *_exc):
        self.close()

    def cpu_seconds(self, name):
        """Return the seconds of processor time that the agent `name` has used."""
        fields = pathlib.Path(f'/proc/{self.pids[name]}/stat').read_text().rpartition(
            ')')[2].split()
        return sum(map(int, fields[11:13])) / os.sysconf('SC_CLK_TCK')


def _user():
    return pwd.getpwuid(os.getuid()).pw_name
