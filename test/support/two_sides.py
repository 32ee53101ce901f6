"""Two network namespaces on one bridge, which can be cut off from each other and joined again.

Side 0 has the addresses .1 to .9 of a /24, side 1 has .101 to .109, and the test process has .254.
While they are parted, the bridge's ports are isolated: each side reaches .254, but no other side.
"""
import os
import random
import shutil
import subprocess

from support.interfaces import changing


def missing():
    """Return a sentence: why this machine cannot make network namespaces; None if it can."""
    tools = [tool for tool in ('ip', 'bridge') if shutil.which(tool) is None]
    if tools:
        return f'{" and ".join(tools)} not found: apt-get install iproute2'
    if os.geteuid() != 0:
        return 'only root can make namespaces'
    made = subprocess.run(['ip', 'netns', 'add', f'lbprobe{os.getpid()}'], capture_output=True,
                          text=True, check=False)
    if made.returncode:
        return f'a namespace cannot be made: {made.stderr.strip()}'
    _run('ip', 'netns', 'delete', f'lbprobe{os.getpid()}')
    return None


class TwoSides:
    """A context manager: the bridge and both namespaces exist inside its `with`."""

    def __init__(self):
        self.net = f'10.{random.SystemRandom().randrange(120, 250)}.7'
        self._mark = f'lb{os.getpid() % 100000}'
        self.sides = [self._mark + side for side in 'lr']

    def __enter__(self):
        with changing():
            self._make_bridge()
        return self

    def _make_bridge(self):
        try:
            _run('ip', 'link', 'add', self._mark, 'type', 'bridge')
            _without_ipv6(self._mark)
            _run('ip', 'addr', 'add', f'{self.net}.254/24', 'dev', self._mark)
            _run('ip', 'link', 'set', self._mark, 'up')
            for number, side in enumerate(self.sides):
                self._make(side, 100 * number)
        except BaseException:
            self._delete()
            raise

    def _make(self, side, first):
        _run('ip', 'netns', 'add', side)
        _run('ip', 'link', 'add', side, 'type', 'veth', 'peer', 'name', 'inside', 'netns', side)
        _without_ipv6(side)
        _run('ip', 'link', 'set', side, 'master', self._mark, 'up')
        _run('ip', '-n', side, 'link', 'set', 'lo', 'up')
        _run('ip', '-n', side, 'link', 'set', 'inside', 'up')
        for number in range(first + 1, first + 10):
            _run('ip', '-n', side, 'addr', 'add', f'{self.net}.{number}/24', 'dev', 'inside')

    def address(self, side, number):
        """Return the IPv4 address `number`, 1 to 9, of side 0 or 1, as text."""
        return f'{self.net}.{100 * side + number}'

    def inside(self, side):
        """Return the words to put before a command to run it in the namespace of side 0 or 1."""
        return ['ip', 'netns', 'exec', self.sides[side]]

    def part(self, parted=True):
        """Cut the sides off from each other, or join them again if not `parted`."""
        for side in self.sides:
            _run('bridge', 'link', 'set', 'dev', side, 'isolated', 'on' if parted else 'off')

    def __exit__(self, *_exc):
        with changing():
            self._delete()

    def _delete(self):
        for side in self.sides:
            subprocess.run(['ip', 'link', 'delete', side], capture_output=True, check=False)
            subprocess.run(['ip', 'netns', 'delete', side], capture_output=True, check=False)
        subprocess.run(['ip', 'link', 'delete', self._mark], capture_output=True, check=False)


def _without_ipv6(device):
    # Otherwise the kernel adds an address two seconds later: outside changing().
    subprocess.run(['ip', 'link', 'set', device, 'addrgenmode', 'none'], check=False,
                   capture_output=True)


def _run(*words):
    subprocess.run(words, check=True, capture_output=True)
