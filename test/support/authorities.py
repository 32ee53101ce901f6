"""BIND, NSD, Knot and PowerDNS as authorities of one zone, each on one thread or process.

Rate limits are off, because a benchmark is one client that asks as fast as it can.
"""
import base64
import pathlib

import dns.flags

from support.name_server import DnsServer, path_of

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
{more}
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
# The packet cache (cache-ttl) would repeat one choice for 20 seconds. The empty suffix prevents a
# query to the Internet at the start.
POWERDNS = '''\
launch=bind
module-dir={modules}
bind-config={folder}/zones
local-address={ip}
local-port={port}
socket-dir={folder}
enable-lua-records=shared
receiver-threads=1
distributor-threads=1
cache-ttl=0
security-poll-suffix=
disable-syslog=yes
loglevel=3
'''


class AuthorityServer(DnsServer):
    """An authoritative DNS server of `zone`; `lines` are records for its zone file."""

    def __init__(self, zone, lines=(), **where):
        super().__init__(zone, **where)
        self.lines, self.question = lines, (zone, 'SOA')

    def files(self):
        return super().files() | {'zone': ZONE.format(zone=self.zone)
                                  + ''.join(f'{line}\n' for line in self.lines)}

    def is_ready(self, reply):
        """Return whether the server's `reply` shows that it has loaded the zone."""
        return bool(reply.answer and reply.flags & dns.flags.AA)


class Bind(AuthorityServer):
    """BIND, its zone in a file."""

    program, conf_file, template = 'named', 'named.conf', BIND
    arguments = ('-g', '-n', '1', '-c')
    key = updates = ''

    def fields(self):
        zone = f'zone "{self.zone}" {{ type primary; file "zone"; {self.updates} }};'
        return super().fields() | {'options': 'recursion no; notify no;',
                                   'more': f'{self.key}\n{zone}'}


class UpdatedBind(Bind):
    """BIND as the primary of a zone that accepts updates signed with its key."""

    key_name = 'swift-lb.'
    secret = base64.b64encode(b'a key that may update the zone..').decode()
    key = f'key "{key_name}" {{ algorithm hmac-sha256; secret "{secret}"; }};'
    updates = f'allow-update {{ key "{key_name}"; }};'


class Nsd(AuthorityServer):
    """NSD, its zone in memory."""

    program, conf_file, template, arguments = 'nsd', 'nsd.conf', NSD, ('-d', '-c')


class Knot(AuthorityServer):
    """Knot DNS, its zone in memory; it makes and verifies cookies, as BIND and swift-lb-dns do."""

    program, conf_file, template, arguments = 'knotd', 'knot.conf', KNOT, ('--config',)


class PowerDns(AuthorityServer):
    """PowerDNS, whose zone may have LUA records, with a state that its threads share."""

    program, conf_file, template = 'pdns_server', 'pdns.conf', POWERDNS

    def files(self):
        zone = f'zone "{self.zone}" {{ type master; file "{self.folder}/zone"; }};\n'
        return super().files() | {'zones': zone}

    def fields(self):
        # The modules are beside the program, in .venv or in the system.
        place = pathlib.Path(path_of(self.program)).resolve().parents[1]
        for root in (place / 'debian', place.parent):
            for module in root.glob('usr/lib/*/pdns/libbindbackend.so'):
                return super().fields() | {'modules': module.parent}
        raise AssertionError('PowerDNS is here, its bind backend is not: '
                             'apt-get install pdns-backend-bind')

    def command(self):
        return [self.program, f'--config-dir={self.folder}']
