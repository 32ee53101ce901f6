"""The relay: a process that carries the packets of all links of a wide-area network.

    python -m swift_lb.lab.wan.relay SOCKET JSON

JSON is the document of Sites (see state.py). The relay reads packets from the TUN device of each
site, holds each until the link's Direction lets it arrive, and writes it to the other site's
device. A request on the unix SOCKET, a line of JSON {"SITE SITE": {option: value}}, changes
options of links; the answer is a line with the options and counts of all links.
"""
import fcntl
import heapq
import itertools
import json
import os
import random
import select
import socket
import struct
import sys
from contextlib import suppress
from dataclasses import asdict, replace

from swift_lb.clock import monotonic
from swift_lb.lab.wan import namespaces, state
from swift_lb.lab.wan.link import Direction

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454ca, 0x0001, 0x1000
BATCH = 64          # packets read from one device before the next one's turn
MAX_PACKET = 65535
HEADER = 20         # bytes of an IPv4 header


def open_device(site):
    """Return the file descriptor, not blocking, of the TUN device of `site`.

    This process stays in the site's network.
    """
    namespaces.enter(site)
    device = os.open('/dev/net/tun', os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack('16sH', namespaces.DEVICE.encode(),
                                               IFF_TUN | IFF_NO_PI))
    return device


class PacketRelay:
    """Carries packets over links, from the device of one site to that of another."""

    def __init__(self, sites, devices, rng):
        """Take the Sites, {site: file descriptor of its device}, and a random.Random."""
        self._numbers = {sites.number(name): name for name in sites.names}
        self.devices = devices
        self._site_of = {device: site for site, device in devices.items()}
        self.directions = {pair: Direction(link, rng) for both, link in sites.links.items()
                           for pair in (both, both[::-1])}
        self._pairs = list(sites.links)
        self._under_way, self._order = [], itertools.count()

    def wait(self, now):
        """Return the seconds from `now`, monotonic, to the next arrival; None without a packet."""
        return max(0.0, self._under_way[0][0] - now) if self._under_way else None

    def take(self, device, now):
        """Read at most BATCH packets that wait in `device`, a file descriptor, at `now`."""
        source = self._site_of[device]
        for _packet in range(BATCH):
            try:
                packet = os.read(device, MAX_PACKET)
            except OSError:     # no more packets; or the device has gone
                return
            if len(packet) < HEADER:
                continue
            # IPv4 only: byte 18 is the third octet of the destination, the number of its site.
            target = self._numbers.get(packet[18]) if packet[0] >> 4 == 4 else None
            direction = self.directions.get((source, target))
            due = direction.arrival(len(packet), now) if direction else None
            if due is not None:
                heapq.heappush(self._under_way, (due, next(self._order), target, packet))

    def deliver(self, now):
        """Write the packets that have arrived by `now` to the devices of their sites."""
        while self._under_way and self._under_way[0][0] <= now:
            _due, _order, target, packet = heapq.heappop(self._under_way)
            with suppress(OSError):      # the device is down: the packet is lost
                os.write(self.devices[target], packet)

    def change(self, changes):
        """Apply `changes`, {(site, site): {option: value}}, to links; return document()."""
        for pair, values in changes.items():
            for both in (pair, pair[::-1]):
                direction = self.directions[both]
                direction.link = replace(direction.link, **values)
        return self.document()

    def document(self):
        """Return {"SITE SITE": {options of the link, counts of both directions}}."""
        return {' '.join(pair): asdict(self.directions[pair].link) | {
            f'{name}_{way}': getattr(self.directions[both], name)
            for name in ('packets', 'bytes', 'lost', 'dropped')
            for way, both in (('there', pair), ('back', pair[::-1]))} for pair in self._pairs}


def serve(relay, listener):
    """Carry packets and answer requests at `listener`, a listening unix socket, for ever."""
    devices = [*relay.devices.values()]
    while True:
        ready, _none, _none = select.select([listener, *devices], [], [], relay.wait(monotonic()))
        now = monotonic()
        for one in ready:
            if one is listener:
                _answer(relay, listener)
            else:
                relay.take(one, now)
        relay.deliver(now)


def _answer(relay, listener):
    connection, _address = listener.accept()
    connection.settimeout(1.0)
    # A client that has left, or sends nothing, must not end the relay.
    with suppress(OSError, ValueError, KeyError), connection, connection.makefile('rw') as file:
        changes = json.loads(file.readline())
        file.write(json.dumps(relay.change({tuple(pair.split()): values
                                            for pair, values in changes.items()})) + '\n')


def main(path, text):
    """Serve the wide-area network of the JSON `text` at the unix socket `path`."""
    sites = state.sites_of(json.loads(text))
    relay = PacketRelay(sites, {name: open_device(name) for name in sites.names}, random.Random(1))
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        serve(relay, listener)


if __name__ == '__main__':
    main(*sys.argv[1:])
