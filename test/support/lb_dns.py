"""A real swift-lb-dns, which obeys an instruction of the test's."""
import contextlib
import http.client
import os
import pwd
import sys

from support.authorities import Authority
from support.free_port import free_port
from support.name_server import LONGEST
from swift_lb import instruction_file
from swift_lb.clock import monotonic, sleep
from swift_lb.model import UP, NodeInstruction
from swift_lb.plan.decision import make_instruction

LASTS = 86400.0     # seconds that the instruction holds
CONF = '''\
[DEFAULT]
swift_dir = {folder}
user = {user}
log_address = {folder}/nowhere

[lb-dns]
node = {node}
zone = {zone}
names = swift.{zone}, *.swift.{zone}
ns = ns1.{zone}=192.0.2.53
proxies = {proxies}
bind_ip = {ip}
bind_port = {port}
http_port = {http_port}
proxy_port = 0
instruction_file = {instruction}
{options}
'''
# The script that swift-lb-dns is, wherever the package is.
RUN = 'from swift_lb.service.dns.daemon import main; main()'


def http_status(ip, port, path):
    """Return the status of one GET, None if nobody answers."""
    connection = http.client.HTTPConnection(ip, port, timeout=2)
    with contextlib.closing(connection), contextlib.suppress(OSError):
        connection.request('GET', path)
        return connection.getresponse().status


class LbDns(Authority):
    """Answers for swift.ZONE, and all below it, with `shares`, {address: share}, of node-1 and on.

    `options` are lines of [lb-dns]; with `instruction`, a path, it obeys whoever writes that file.
    `before` are words that stand before the command.
    """

    program = 'swift-lb-dns'

    def __init__(self, zone, shares, options='', node='node-1', instruction=None, before=(),
                 **where):
        super().__init__(zone, **where)
        self._node, self._instruction, self._before = node, instruction, before
        self.shares, self.options, self._generation = shares, options, 0
        self.http_port = free_port(self.ip)

    def files(self):
        """Return the conf, and write the first instruction."""
        if self._instruction is None:
            self.instruct(self.shares)
        proxies = (f'node-{number}={ip}' for number, ip in enumerate(self.shares, 1))
        return {'swift.conf': '[swift-hash]\nswift_hash_path_suffix = dns\n',
                'lb-server.conf': CONF.format(
                    folder=self.folder, user=pwd.getpwuid(os.getuid()).pw_name, zone=self.zone,
                    proxies=', '.join(proxies), ip=self.ip, port=self.port,
                    http_port=self.http_port, options=self.options, node=self._node,
                    instruction=self._instruction or self.folder / 'instruction.json')}

    def _wait(self):
        """Wait until all of its processes answer, and not just one."""
        super()._wait()
        until = monotonic() + LONGEST
        while http_status('127.0.0.1', self.http_port, '/healthz') != 200:
            assert monotonic() < until, self.log()
            sleep(0.05)

    def command(self):
        """Return the command."""
        return [*self._before, sys.executable, '-W', 'ignore', '-c', RUN,
                self.folder / 'lb-server.conf']

    def instruct(self, shares, lasts=LASTS, **states):
        """Replace the instruction: {address: share}, for so many seconds.

        `states` are those of nodes that are not up: node_1=LATE.
        """
        self._generation += 1
        most = max(shares.values())
        instruction_file.write(self.folder / 'instruction.json', make_instruction(
            self._generation, monotonic() + lasts, 'balanced', False, tuple(
                NodeInstruction(f'node-{number}', f'{ip}:8080', states.get(f'node_{number}', UP),
                                0.5, share / most, share, 1.0, 0.0)
                for number, (ip, share) in enumerate(shares.items(), 1)), str(self._generation)))
