"""BIND, NSD and Knot as authorities of one zone, each on one thread or process of its own.

Rate limits are off, because a benchmark is one client that asks as fast as it can.
"""
import base64

import dns.flags
import dns.tsigkeyring

from support.name_server import NameServer

ZONE = '''\
$ORIGIN {zone}.
$TTL 60
@ SOA ns1 hostmaster 1 7200 1800 1209600 60
@ NS ns1
ns1 A 127.0.0.1
'''
BIND = '''\
options {{
    listen-on port {port} {{ {ip}; }};
    listen-on-v6 {{ none; }};
    directory "{folder}";
    pid-file none;
    session-keyfile none;
    lock-file none;
    dnssec-validation no;
    {options}
}};
controls {{ }};
{zone}
'''
NSD = '''\
server:
    server-count: 1
    ip-address: {ip}@{port}
    username: ""
    zonesdir: "{folder}"
    database: ""
    pidfile: "{folder}/nsd.pid"
    xfrdfile: "{folder}/xfrd.state"
    xfrdir: "{folder}"
    zonelistfile: "{folder}/zone.list"
    # The default is 200 answers a second to one network.
    rrl-ratelimit: 0
    rrl-whitelist-ratelimit: 0
remote-control:
    control-enable: no
zone:
    name: "{zone}"
    zonefile: "zone"
'''
KNOT = '''\
server:
    listen: {ip}@{port}
    rundir: "{folder}"
    udp-workers: 1
    tcp-workers: 1
    background-workers: 1
database:
    storage: "{folder}/db"
zone:
  - domain: "{zone}"
    file: "{folder}/zone"
mod-cookies:
  - id: default
template:
  - id: default
    global-module: mod-cookies/default
'''


class Authority(NameServer):
    """Answers for `zone`, a name without a last dot; `lines` are records for the zone file."""

    def __init__(self, zone, lines=(), **where):
        super().__init__(**where)
        self.zone, self.lines, self.question = zone, lines, (zone, 'SOA')

    def files(self):
        """Return the zone file and the conf files."""
        return {'zone': ZONE.format(zone=self.zone) + ''.join(f'{line}\n' for line in self.lines),
                **self.conf()}

    def conf(self):
        """Return {name: text} of the conf files."""
        raise NotImplementedError

    def is_ready(self, reply):
        """Return whether it has loaded the zone."""
        return bool(reply.answer and reply.flags & dns.flags.AA)


def bind_conf(server, options, zone=''):
    """Return named.conf of a NameServer: lines of its `options` block, and of its `zone`."""
    return BIND.format(ip=server.ip, port=server.port, folder=server.folder, options=options,
                       zone=zone)


class Bind(Authority):
    """BIND, its zone in a file."""

    program = 'named'
    key = updates = ''

    def conf(self):
        """Return named.conf."""
        zone = f'zone "{self.zone}" {{ type primary; file "zone"; {self.updates} }};'
        return {'named.conf': bind_conf(self, 'recursion no; notify no;', f'{self.key}\n{zone}')}

    def command(self):
        """Return the command."""
        return [self.program, '-g', '-n', '1', '-c', self.folder / 'named.conf']


class UpdatedBind(Bind):
    """BIND as the primary of a zone that accepts updates signed with its key."""

    key_name, algorithm = 'swift-lb.', 'hmac-sha256'
    secret = base64.b64encode(b'a key that may update the zone..').decode()
    key = f'key "{key_name}" {{ algorithm {algorithm}; secret "{secret}"; }};'
    updates = f'allow-update {{ key "{key_name}"; }};'

    def keyring(self):
        """Return the key as dns.update.UpdateMessage wants it."""
        return dns.tsigkeyring.from_text({self.key_name: (self.algorithm, self.secret)})


class Nsd(Authority):
    """NSD, its zone in memory."""

    program = 'nsd'

    def conf(self):
        """Return nsd.conf."""
        return {'nsd.conf': NSD.format(ip=self.ip, port=self.port, folder=self.folder,
                                       zone=self.zone)}

    def command(self):
        """Return the command."""
        return [self.program, '-d', '-c', self.folder / 'nsd.conf']


class Knot(Authority):
    """Knot DNS, its zone in memory; it makes and verifies cookies, as BIND and swift-lb-dns do."""

    program = 'knotd'

    def conf(self):
        """Return knot.conf."""
        return {'knot.conf': KNOT.format(ip=self.ip, port=self.port, folder=self.folder,
                                         zone=self.zone)}

    def command(self):
        """Return the command."""
        return [self.program, '--config', self.folder / 'knot.conf']
