"""Hosts made of files, which sensors read in place of the kernel's, in the same format."""
import pytest


class Net:
    """A directory `root` with files as in /sys/class/net."""

    def __init__(self, root):
        self.root = root
        root.mkdir()
        (root / 'bonding_masters').write_text('bond0\n')     # a file, among the directories

    def add(self, name, *marks, speed=1000, master=None, carrier='1', duplex='full'):
        """Add a network interface; `marks` are subdirectories, as 'device', that tell its kind.

        `speed` is in Mbit/s, as in the kernel. A speed, carrier or duplex of None has no file.
        """
        directory = self.root / name
        for mark in (*marks, 'statistics'):
            (directory / mark).mkdir(parents=True)
        for fact, text in {'speed': speed, 'duplex': duplex, 'carrier': carrier}.items():
            if text is not None:
                (directory / fact).write_text(f'{text}\n')
        if master:
            (directory / 'master').symlink_to(f'../{master}')
        self.count(name, 0, 0)

    def count(self, name, received, sent):
        """Set the counters of an interface: bytes received and sent."""
        for way, value in (('rx', received), ('tx', sent)):
            (self.root / name / f'statistics/{way}_bytes').write_text(f'{value}\n')


@pytest.fixture
def net(tmp_path):
    return Net(tmp_path / 'net')


class Disks:
    """Files as in /proc and /sys of a host with disks; `root` is the directory of both."""

    def __init__(self, root):
        self.root, self._sys = root, root / 'sys'
        self._mounts, self._lines = [], {}
        for directory in ('proc/self', 'sys/dev/block', 'sys/block', 'sys/class/block',
                          'sys/devices/virtual/block'):
            (root / directory).mkdir(parents=True)
        self._write()

    def add(self, name, number, hardware=True, removable=0, slaves=(), of=None):
        """Add the block device `number`, major:minor; `of`: the disk that it is a partition of."""
        parent = self._sys / 'devices' / ('pci0' if hardware else 'virtual') / 'block'
        path = (parent / of / name) if of else (parent / name)
        path.mkdir(parents=True)
        if of:
            (path / 'partition').write_text('1\n')
        else:
            (self._sys / 'block' / name).symlink_to(path)
            (path / 'removable').write_text(f'{removable}\n')
            (path / 'slaves').mkdir()
            if hardware:
                (path / 'device').mkdir()
        for slave in slaves:
            (path / 'slaves' / slave).symlink_to(self._sys / 'class/block' / slave)
        (self._sys / 'class/block' / name).symlink_to(path)
        (self._sys / 'dev/block' / number).symlink_to(path)
        self.count(name)

    def mount(self, number, point, kind='xfs'):
        """Mount the device `number` at `point`, in which spaces are escaped as in mountinfo."""
        self._mounts.append(f'36 25 {number} / {point} rw,noatime shared:1 - {kind} /dev/x rw')
        self._write()

    def unmount(self, point):
        """Remove what is mounted at `point`."""
        self._mounts = [line for line in self._mounts if line.split()[4] != point]
        self._write()

    def count(self, name, done=0, in_flight=0, busy=0, weighted=0):
        """Set the counters of a device; `busy` and `weighted`, as in diskstats, are in ms."""
        self._lines[name] = (f'   8       0 {name} {done} 0 8 9 {done} 0 8 9 {in_flight} {busy} '
                             f'{weighted} 0 0 0 0 {done} 5')
        self._write()

    def remove(self, name):
        """Remove a disk from diskstats."""
        del self._lines[name]
        self._write()

    def _write(self):
        for name, lines in (('self/mountinfo', self._mounts), ('diskstats', self._lines.values())):
            (self.root / 'proc' / name).write_text(''.join(f'{line}\n' for line in lines))


@pytest.fixture
def disks(tmp_path):
    return Disks(tmp_path / 'host')
