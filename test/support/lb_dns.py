"""A real swift-lb-dns, which follows an instruction file that the test writes."""
import contextlib
import http.client
import os
import pwd
import sys

from support.authorities import AuthorityServer
from support.free_port import free_port
from support.name_server import wait_until
from swift_lb import instruction_file
from swift_lb.clock import monotonic
from swift_lb.model import UP, NodeInstruction
from swift_lb.plan.decision import make_instruction

LASTS = 86400.0     # seconds that an instruction is valid
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
# The script swift-lb-dns, independent of where the package is installed.
RUN = 'from swift_lb.service.dns.daemon import main; main()'


def http_status(ip, port, path):
    """Return the HTTP status, an int, of a GET of `path`, None if the server does not answer."""
    connection = http.client.HTTPConnection(ip, port, timeout=2)
    with contextlib.closing(connection), contextlib.suppress(OSError):
        connection.request('GET', path)
        return connection.getresponse().status


def children_of(pid, states='RSDT'):
    """Return a list of the pids of a process's children whose state in /proc is in `states`."""
    children = []
    for name in filter(str.isdecimal, os.listdir('/proc')):
        with contextlib.suppress(OSError), open(f'/proc/{name}/stat') as stat:
            state, parent = stat.read().rpartition(')')[2].split()[:2]
            if int(parent) == pid and state in states:
                children.append(int(name))
    return children


class LbDnsServer(AuthorityServer):
    """Answers for swift.ZONE and all names below it with the addresses of node-1, node-2 and so on.

    `shares` is {address: fraction of answers}. `options` are lines of [lb-dns]. `instruction` is
    the path of an instruction file that another process writes; by default instruct() writes one.
    `before` are words in front of the command.
    """

    program = 'swift-lb-dns'

    def __init__(self, zone, shares, options='', node='node-1', instruction=None, before=(),
                 **where):
        super().__init__(zone, **where)
        self._node, self._instruction, self._before = node, instruction, before
        self.shares, self.options, self._generation = shares, options, 0
        self.http_port = free_port(self.ip)

    def files(self):
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
        """Wait until the service answers by DNS, and its /healthz with status 200."""
        super()._wait()
        wait_until(lambda: http_status('127.0.0.1', self.http_port, '/healthz') == 200, self.log)

    def command(self):
        return [*self._before, sys.executable, '-W', 'ignore', '-c', RUN,
                self.folder / 'lb-server.conf']

    def instruct(self, shares, lasts=LASTS, **states):
        """Write an Instruction of `shares`, {address: fraction}, that is valid for `lasts` seconds.

        `states` are the states of nodes that are not up, such as node_1=LATE.
        """
        self._generation += 1
        most = max(shares.values())
        instruction_file.write(self.folder / 'instruction.json', make_instruction(
            self._generation, monotonic() + lasts, 'balanced', False, tuple(
                NodeInstruction(f'node-{number}', f'{ip}:8080', states.get(f'node_{number}', UP),
                                0.5, share / most, share, 1.0, 0.0)
                for number, (ip, share) in enumerate(shares.items(), 1)), str(self._generation)))
