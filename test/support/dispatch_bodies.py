"""Send large and slow bodies through proxies, and measure the memory of the proxies."""
import re
from contextlib import contextmanager
from pathlib import Path

from support.dispatch_lab import head
from swift_lb.clock import monotonic, sleep
from swift_lb.lab import process

MIB = 1024 * 1024
ZEROS = bytes(MIB)
RESET = '5'         # to clear_refs: resets the peak (proc(5))
PIECE = 1000        # bytes that a slow client sends or reads at once


@contextmanager
def peaks(lab):
    """Yield a dict, which at exit gets {proxy: bytes by which its peak resident memory grew}."""
    grown, before = {}, {}
    for name, each in lab.processes.items():
        if each.kind == 'proxy':
            for pid in process.members(lab.directory, [each]):
                Path(f'/proc/{pid}/clear_refs').write_text(RESET)
                before[name, pid] = resident(pid)
    yield grown
    for (name, pid), had in before.items():
        grown[name] = max(grown.get(name, 0), resident(pid) - had)


def resident(pid):
    """Return the peak of the resident memory of process `pid`, in bytes."""
    text = Path(f'/proc/{pid}/status').read_text()
    return int(re.search(r'VmHWM:\s+(\d+) kB', text)[1]) * 1024


def authorized(proxies):
    """Return the lines of headers that log a client in: X-Auth-Token, or none without tempauth."""
    return [f'X-Auth-Token: {proxies.token}'] if proxies.token else []


def put_zeros(proxies, path, size):
    """Return the LabAnswer to a PUT of `size` zero bytes to `path` below the account."""
    with proxies.wire() as wire:
        wire.send(head('PUT', proxies.base + path, f'Content-Length: {size}',
                       *authorized(proxies)))
        for _mib in range(size // MIB):
            wire.send(ZEROS)
        wire.send(ZEROS[:size % MIB])
        return wire.answer()


def read_all(proxies, path):
    """GET the object at `path` below the account; return the size of its body in bytes."""
    with proxies.wire() as wire:
        wire.send(head('GET', proxies.base + path, 'Connection: close', *authorized(proxies)))
        status, _headers = wire.head()
        assert status == 200, status
        count = 0
        while data := wire.some(MIB):
            count += len(data)
        return count


def slow_put(proxies, path, body, rate, chunked=False):
    """Return the LabAnswer to a PUT of `body`, bytes, sent at `rate` bytes a second."""
    framing = 'Transfer-Encoding: chunked' if chunked else f'Content-Length: {len(body)}'
    with proxies.wire() as wire:
        wire.send(head('PUT', proxies.base + path, framing, *authorized(proxies)))
        for data in paced([body[at:at + PIECE] for at in range(0, len(body), PIECE)], rate):
            wire.send(b'%x\r\n%b\r\n' % (len(data), data) if chunked else data)
        if chunked:
            wire.send(b'0\r\n\r\n')
        return wire.answer()


def stopped_put(proxies, proxy):
    """Return the LabAnswer of proxy number `proxy` to a PUT that stops after half of its body."""
    with proxies.wire(proxy) as wire:
        wire.send(head('PUT', f'{proxies.base}/far/stopped{proxy}', f'Content-Length: {2 * PIECE}',
                       *authorized(proxies)), ZEROS[:PIECE])
        return wire.answer()


def slow_get(proxies, path, size, rate):
    """Return the first `size` bytes of the object at `path`, read at `rate` bytes a second."""
    with proxies.wire(room=4096) as wire:
        wire.send(head('GET', proxies.base + path, f'Range: bytes=0-{size - 1}',
                       *authorized(proxies)))
        status, _headers = wire.head()
        assert status == 206, status
        result = b''
        for _turn in paced(range(size // PIECE), rate):
            result += wire.some(PIECE)
        while len(result) < size:
            result += wire.some(PIECE)
        return result


def paced(things, rate):
    """Yield each of `things`, one every PIECE / `rate` seconds: `rate` is bytes a second."""
    due = monotonic()
    for thing in things:
        yield thing
        due += PIECE / rate
        sleep(max(0.0, due - monotonic()))
