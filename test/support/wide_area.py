"""The wide-area network of the tests: one at a time, since a machine has one."""
import contextlib
import fcntl
import os
import subprocess
import tempfile

from support import two_sides
from support.interfaces import changing
from swift_lb.errors import LabError
from swift_lb.lab.lab import Lab
from swift_lb.lab.wan import namespaces, sites, wan

LOCK = os.path.join(tempfile.gettempdir(), f'swift-lb-wide-area-{os.getuid()}')


def missing():
    """Return why this machine cannot have a wide-area network, None if it can."""
    if reason := two_sides.missing():
        return reason
    try:
        namespaces.check()
    except LabError as err:
        return str(err)
    probe = f'lbprobe{os.getpid()}'
    try:
        subprocess.run(['ip', 'netns', 'add', probe], check=True, capture_output=True)
        made = subprocess.run(['ip', '-n', probe, 'tuntap', 'add', 'dev', 'wan', 'mode', 'tun'],
                              capture_output=True, text=True, check=False)
    finally:
        subprocess.run(['ip', 'netns', 'delete', probe], check=False, capture_output=True)
    return f'a TUN device cannot be made: {made.stderr.strip()}' if made.returncode else None


@contextlib.contextmanager
def exclusive():
    """A context in which no other test has a wide-area network; waits until it may begin."""
    with open(LOCK, 'w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def sites_with_labs(text, specs):
    """Provide {site: Lab} of the LabSpecs `specs`, on the wide-area network of the file `text`."""
    labs = {}
    with exclusive():
        with changing():
            wan.up(sites.parse(text, 'test'))
        try:
            for spec in specs:
                labs[spec.site] = Lab.up(spec)
            yield labs
        finally:
            for lab in labs.values():
                lab.down()
            with changing():
                wan.down()


def at(site, *command, timeout=120, text=''):
    """Return the standard output of a command, run in the network of `site`; it must succeed.

    `text` is its standard input.
    """
    return subprocess.run([*namespaces.inside(site), *command], capture_output=True, text=True,
                          input=text, timeout=timeout, check=True).stdout
