"""A real swift-lb-dns, which obeys an instruction of the test's."""
import os
import pwd
import sys

from support.authorities import Authority
from support.free_port import free_port
from swift_lb import instruction_file
from swift_lb.clock import monotonic
from swift_lb.model import UP, Instruction, Part

LASTS = 86400.0     # seconds that the instruction holds
CONF = '''\
[DEFAULT]
swift_dir = {folder}
user = {user}
log_address = {folder}/nowhere

[lb-dns]
node = node-1
zone = {zone}
names = swift.{zone}
ns = ns1.{zone}=192.0.2.53
proxies = {proxies}
bind_ip = {ip}
bind_port = {port}
http_port = {http_port}
proxy_port = 0
instruction_file = {folder}/instruction.json
{options}
'''
# The script that swift-lb-dns is, wherever the package is.
RUN = 'from swift_lb.service.dns.daemon import main; main()'


class LbDns(Authority):
    """Answers for swift.ZONE with those of `shares`, {address: share}, of proxies node-1 and on.

    `options` are lines of [lb-dns].
    """

    program = 'swift-lb-dns'

    def __init__(self, zone, shares, options='', **where):
        super().__init__(zone, **where)
        self.shares, self.options, self._generation = shares, options, 0
        self.http_port = free_port(self.ip)

    def files(self):
        """Return the conf, and write the first instruction."""
        self.instruct(self.shares)
        proxies = (f'node-{number}={ip}' for number, ip in enumerate(self.shares, 1))
        return {'swift.conf': '[swift-hash]\nswift_hash_path_suffix = dns\n',
                'lb-server.conf': CONF.format(
                    folder=self.folder, user=pwd.getpwuid(os.getuid()).pw_name, zone=self.zone,
                    proxies=', '.join(proxies), ip=self.ip, port=self.port,
                    http_port=self.http_port, options=self.options)}

    def command(self):
        """Return the command."""
        return [sys.executable, '-W', 'ignore', '-c', RUN, self.folder / 'lb-server.conf']

    def instruct(self, shares, lasts=LASTS):
        """Replace the instruction: {address: share}, for so many seconds."""
        self._generation += 1
        most = max(shares.values())
        instruction_file.write(self.folder / 'instruction.json', Instruction(
            self._generation, monotonic() + lasts, 'balanced', False, tuple(
                Part(f'node-{number}', f'{ip}:8080', UP, 0.5, share / most, share, 1.0, 0.0)
                for number, (ip, share) in enumerate(shares.items(), 1)), str(self._generation)))
