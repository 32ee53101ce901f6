"""The fork server imports Swift once, which takes a second, and forks into a lab's servers.

    python -m swift_lb.lab.fork_server SOCKET SWIFT_DIR MODULE...

A request on its unix SOCKET is a line of JSON, [server name, path of the output, words of the
command, site or null]; the first word is the path of a launcher (see build.py), and the server
runs in the network of the site. The answer is the pid of the new process, which top and ps show by
the server's name. After SIGTERM the fork server waits until all servers have ended.
"""
import contextlib
import importlib
import json
import os
import signal
import socket
import sys

from swift_lb.clock import sleep
from swift_lb.lab.wan import namespaces

PLACE = 'run/fork_server'   # its socket, in a lab's directory
POLL = 0.01                 # seconds between looks for the socket
MODULES = {                 # of the servers that it forks into, by kind
    'account': 'swift.account.server', 'container': 'swift.container.server',
    'sync': 'swift.container.sync',
    'object': 'swift.obj.server', 'proxy': 'swift.proxy.server',
    'agent': 'swift_lb.service.daemon'}


def command(directory, kinds):
    """Return the command that starts the fork server of the lab in `directory`.

    `kinds` are the kinds of the lab's servers, whose modules it imports.
    """
    modules = [module for kind, module in MODULES.items() if kind in kinds]
    return [sys.executable, '-m', 'swift_lb.lab.fork_server', str(directory / PLACE),
            str(directory / 'etc'), *modules]


def fork(directory, fork_server, name, out, words, site=None):
    """Ask the fork server for a new server; return its pid, None if no fork server runs.

    `fork_server` is its Process or None, `out` the path of the new server's output, `words` its
    command, from the launcher on, `site` the site in whose network it runs, if any.
    """
    while fork_server is not None and fork_server.alive:
        with contextlib.suppress(OSError, ValueError), socket.socket(socket.AF_UNIX) as request:
            request.connect(str(directory / PLACE))
            request.sendall(json.dumps([name, str(out), list(map(str, words)), site]).encode()
                            + b'\n')
            return int(request.makefile().readline())
        sleep(POLL)
    return None


def serve(path, swift_dir, modules):
    """Import `modules` and fork on each request at the unix socket `path`, until SIGTERM."""
    signal.signal(signal.SIGTERM, lambda *_args: sys.exit())
    signal.signal(signal.SIGCHLD, _reap)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(64)     # a request may come before all is imported
        from swift.common.utils import set_swift_dir
        set_swift_dir(swift_dir)
        for module in modules:
            importlib.import_module(module)
        while (server := _answered(listener)) is None:
            pass
    _become(*server)


def _answered(listener):
    """Fork for one request; return None in the fork server, the request in the new process."""
    connection, _address = listener.accept()
    with connection:
        server = json.loads(connection.makefile().readline())
        ready, done = os.pipe()
        pid = os.fork()
        if not pid:
            os.setsid()         # before the pid is known: its group marks its workers
        os.close(done)
        os.read(ready, 1)       # until the new process has closed its end, too
        os.close(ready)
        if not pid:
            return server
        connection.sendall(f'{pid}\n'.encode())


def _become(name, out, words, site):
    """Run the script words[0] as server `name` in this new process; its output goes to file `out`.

    `words` become sys.argv.
    """
    if site:
        namespaces.enter(site)
    for number in (signal.SIGTERM, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    log = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for stream in (1, 2):
        os.dup2(log, stream)
    os.close(log)
    with open('/proc/self/comm', 'w') as comm:
        comm.write(name)
    sys.argv = words
    with open(words[0]) as launcher:
        exec(compile(launcher.read(), words[0], 'exec'), {'__name__': '__main__'})


def _reap(*_args):
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


if __name__ == '__main__':
    try:
        serve(sys.argv[1], sys.argv[2], sys.argv[3:])
    finally:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        with contextlib.suppress(ChildProcessError):
            while True:
                os.wait()
