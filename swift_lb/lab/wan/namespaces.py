"""The network namespaces of sites: made and removed with the command `ip`, by root.

Site number N has all addresses of 198.18.N.0/24, from the range for benchmarks of RFC 2544, as a
host has all of 127.0.0.0/8. This machine reaches them over a veth pair, without delay; the other
sites reach them over the device `wan`, a TUN, from which the relay takes the packets.
"""
import ctypes
import os
import shutil
import subprocess

from swift_lb.errors import LabError

DEVICE = 'wan'
PLACE = '/run/netns'
CLONE_NEWNET = 0x40000000


def namespace(site):
    """Return the name of the network namespace of `site`, for `ip netns exec NAME`."""
    return f'swift-lb-{site}'


def network(number):
    """Return the first three octets of the addresses of site `number`, from 1."""
    return f'198.18.{number}'


def inside(site):
    """Return the words to put before a command, so that it runs in the network of `site`."""
    return ['nsenter', f'--net={PLACE}/{namespace(site)}']


def check():
    """Raise LabError, a sentence, if this process cannot make network namespaces."""
    if os.geteuid() != 0:
        raise LabError('only root can make the network namespaces of sites')
    for program, package in (('ip', 'iproute2'), ('nsenter', 'util-linux')):
        if shutil.which(program) is None:
            raise LabError(f'{program} is missing: apt-get install {package}')
    if not os.path.exists('/dev/net/tun'):
        raise LabError('/dev/net/tun is missing: this kernel, or this container, has no TUN device')


def check_unused(sites):
    """Raise LabError if the namespace of one of `sites`, names, exists already."""
    for site in sites:
        if os.path.exists(f'{PLACE}/{namespace(site)}'):
            raise LabError(f'the network namespace {namespace(site)} exists already; if nothing '
                           f'uses it: ip netns delete {namespace(site)}')


def make(sites):
    """Make the namespaces, devices and routes of the Sites `sites`; LabError if `ip` refuses."""
    for name in sites.names:
        _make(name, sites.number(name),
              [sites.number(other) for pair in sites.links if name in pair
               for other in pair if other != name])


def _make(site, number, linked):
    inner, outer, net = namespace(site), f'swlb-{site}', network(number)
    ways = f'198.19.{number}'
    _ip('netns', 'add', inner)
    _ip('link', 'add', outer, 'type', 'veth', 'peer', 'name', 'host', 'netns', inner)
    # No IPv6 address: the kernel adds one two seconds after the device is up, and a browser on this
    # machine ends its requests then. A kernel without IPv6 refuses this.
    subprocess.run(['ip', 'link', 'set', outer, 'addrgenmode', 'none'], check=False,
                   capture_output=True)
    _ip('addr', 'add', f'{ways}.1/30', 'dev', outer)
    _ip('link', 'set', outer, 'up')
    for words in (
            'link set lo up', f'addr add {ways}.2/30 dev host', 'link set host up',
            f'tuntap add dev {DEVICE} mode tun', f'addr add {net}.1/32 dev {DEVICE}',
            f'link set {DEVICE} up', f'route add local {net}.0/24 dev lo',
            *(f'route add {network(other)}.0/24 dev {DEVICE} src {net}.1' for other in linked)):
        _ip('-n', inner, *words.split())
    # As the manual advises for clusters; the setting is the namespace's own.
    subprocess.run([*inside(site), 'sysctl', '-q', '-w', 'net.ipv4.tcp_slow_start_after_idle=0'],
                   check=False, capture_output=True)
    _ip('route', 'add', f'{net}.0/24', 'via', f'{ways}.2')


def remove(sites):
    """Remove the namespaces of `sites`, names; their devices and routes disappear with them."""
    for site in sites:
        # The veth pair first: the kernel removes a namespace some time after the command.
        for words in (('link', 'delete', f'swlb-{site}'), ('netns', 'delete', namespace(site))):
            subprocess.run(['ip', *words], capture_output=True, check=False)


def enter(site):
    """Move this thread into the network of `site`; sockets that it has already are not affected."""
    with open(f'{PLACE}/{namespace(site)}') as file:
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.setns(file.fileno(), CLONE_NEWNET):
            error = ctypes.get_errno()
            raise OSError(error, os.strerror(error), file.name)


def _ip(*words):
    done = subprocess.run(['ip', *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise LabError(f'ip {" ".join(words)}: {done.stderr.strip()}')
