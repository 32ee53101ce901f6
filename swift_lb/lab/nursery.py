"""A process that has imported Swift, and forks into a lab's servers: an import takes a second.

    python -m swift_lb.lab.nursery SOCKET SWIFT_DIR MODULE...

It answers a request, [name, path of the output, words of the command], with
the pid of the new process, whose first word is the path of a launcher (see build.py). The kernel
shows that process, in top for example, by the name of its server.
"""
import contextlib
import importlib
import json
import os
import signal
import socket
import sys

from swift_lb.clock import sleep

PLACE = 'run/nursery'       # its socket, in a lab's directory
POLL = 0.01                 # seconds between looks for the socket
MODULES = {                 # of the servers that it forks into, by kind
    'account': 'swift.account.server', 'container': 'swift.container.server',
    'object': 'swift.obj.server', 'proxy': 'swift.proxy.server',
    'agent': 'swift_lb.service.daemon'}


def command(directory, kinds):
    """Return the command that starts it for a lab with servers of these kinds."""
    modules = [module for kind, module in MODULES.items() if kind in kinds]
    return [sys.executable, '-m', 'swift_lb.lab.nursery', str(directory / PLACE),
            str(directory / 'etc'), *modules]


def fork(directory, nursery, name, out, words):
    """Return the pid of a new server, None if the Process `nursery` does not run."""
    while nursery is not None and nursery.alive:
        with contextlib.suppress(OSError, ValueError), socket.socket(socket.AF_UNIX) as request:
            request.connect(str(directory / PLACE))
            request.sendall(json.dumps([name, str(out), list(map(str, words))]).encode() + b'\n')
            return int(request.makefile().readline())
        sleep(POLL)
    return None


def serve(path, swift_dir, modules):
    """Import the modules and answer requests until SIGTERM; then wait for the servers to end."""
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
    """Answer one request; return None, or in the new process the request."""
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


def _become(name, out, words):
    """Become the server whose launcher is the first of `words`."""
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
