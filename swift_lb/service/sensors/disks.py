"""The disks of this host: which of them hold Swift's devices.

No file of a device is touched, not even by stat: a disk that hangs would hang the agent.
"""
import os
import re

ESCAPED = re.compile(r'\\([0-7]{3})')       # as mountinfo writes what would break its lines


def disks_of(devices, root=''):
    """Return the names of the disks mounted below `devices`, of all of the host where none is.

    They are whole disks, named as in /proc/diskstats: of a partition its disk, of a volume (LVM,
    crypt, RAID) those that it lies on. Below `root` there are proc and sys.
    """
    return _mounted(os.path.realpath(devices), root) or _all(root)


def _mounted(devices, root):
    names = set()
    with open(f'{root}/proc/self/mountinfo', encoding='utf-8', errors='surrogateescape') as file:
        for line in file:
            _id, _parent, number, _root, point, *_rest = line.split(' ')
            point = ESCAPED.sub(lambda match: chr(int(match[1], 8)), point)
            if point == devices or point.startswith(devices.rstrip('/') + '/'):
                names |= _below(os.path.realpath(f'{root}/sys/dev/block/{number}'))
    return names


def _below(path):
    """Return the names of the disks below a block device, given by its directory in /sys."""
    if not os.path.exists(path):        # a file system of no block device, such as tmpfs
        return set()
    if os.path.exists(f'{path}/partition'):
        path = os.path.dirname(path)
    try:
        slaves = os.listdir(f'{path}/slaves')
    except FileNotFoundError:
        slaves = []
    if not slaves:
        return {_name(path)}
    return set().union(*(_below(os.path.realpath(f'{path}/slaves/{each}')) for each in slaves))


def _all(root):
    """Return the names of all disks that are hardware and stay."""
    block = f'{root}/sys/block'
    return {_name(name) for name in os.listdir(block)
            if os.path.exists(f'{block}/{name}/device') and not _is_removable(f'{block}/{name}')}


def _is_removable(path):
    try:
        with open(f'{path}/removable', encoding='ascii') as file:
            return file.read().strip() == '1'
    except FileNotFoundError:
        return False


def _name(path):
    return os.path.basename(path).replace('!', '/')     # cciss/c0d0
