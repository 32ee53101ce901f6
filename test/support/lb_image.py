"""A real swift-lb-image, with its conf and its socket in a folder of its own."""
import contextlib
import os
import pwd
import signal
import socket
import subprocess
import sys

from support.lb_dns import children_of
from support.name_server import wait_until
from swift_lb.wire.image_job import HEAD, lengths, message_of, pack

CONF = '''\
[DEFAULT]
swift_dir = {folder}
user = {user}
log_address = {folder}/nowhere

[lb-image]
socket = {folder}/s
{options}
'''
# The script swift-lb-image, independent of where the package is installed.
RUN = 'from swift_lb.service.image.daemon import main; main()'
PATIENCE = 60.0     # seconds for an answer


def run_question(task, step='pixels', form='png', overview=None, **more):
    """Return the question for a step of a Task."""
    region = (None,) * 4 if task.region is None else task.region
    return {'do': 'run', 'chain': 'jpeg2000', 'step': step, 'task': [*region, task.reduce],
            'form': form, 'overview': overview, **more}


class LbImageServer:
    """A swift-lb-image; `options`, {name: value}, are those of [lb-image], without its socket."""

    def __init__(self, folder, **options):
        self.folder, self.path = folder, str(folder / 's')
        (folder / 'swift.conf').write_text('[swift-hash]\nswift_hash_path_suffix = image\n')
        lines = '\n'.join(f'{name} = {value}' for name, value in ({'cache': 0} | options).items())
        (folder / 'lb-server.conf').write_text(CONF.format(
            folder=folder, user=pwd.getpwuid(os.getuid()).pw_name, options=lines))
        self.process = None

    def start(self):
        """Start the daemon; return its Popen, whose stderr is a pipe."""
        return subprocess.Popen(
            [sys.executable, '-W', 'ignore', '-c', RUN, self.folder / 'lb-server.conf'],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def __enter__(self):
        self.process = self.start()
        wait_until(self._answers, self.process.poll)
        return self

    def __exit__(self, *_exc):
        self.end(signal.SIGTERM)

    def end(self, number):
        """End the daemon with a signal; return its status."""
        self.process.send_signal(number)
        self.process.communicate(timeout=PATIENCE)
        return self.process.returncode

    def workers(self):
        """Return the pids of the workers."""
        return children_of(self.process.pid, 'RSDT')

    def _answers(self):
        with contextlib.suppress(OSError), self.connected() as client:
            return client.status()

    def connected(self):
        """Return a new ImageClient."""
        return ImageClient(self.path)


class ImageClient:
    """A connection to a swift-lb-image."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(path)
        self._file = self.socket.makefile('rb')

    def __enter__(self):
        return self

    def __exit__(self, *_exc):
        self._file.close()
        self.socket.close()

    def send(self, question, body=b''):
        """Send a question, and do not wait for its answer."""
        self.socket.sendall(pack(question, body))

    def answer(self):
        """Return the (answer, body) of the next question; raises EOFError at the end."""
        head = self._file.read(HEAD.size)
        if len(head) < HEAD.size:
            raise EOFError
        text, size = lengths(head)
        return message_of(self._file.read(text)), self._file.read(size)

    def ask(self, question, body=b''):
        """Return (answer, body) of a question."""
        self.send(question, body)
        return self.answer()

    def status(self):
        """Return the daemon's document on its state."""
        return self.ask({'do': 'status'})[0]
