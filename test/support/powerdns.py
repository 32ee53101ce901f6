"""PowerDNS as the authority of one zone, on one thread, with Lua records whose state is shared."""
import pathlib

from support.authorities import Authority
from support.name_server import path_of

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


class PowerDns(Authority):
    """PowerDNS, whose zone may have LUA records."""

    program = 'pdns_server'

    def conf(self):
        """Return pdns.conf, and the list of zones."""
        zones = f'zone "{self.zone}" {{ type master; file "{self.folder}/zone"; }};\n'
        return {'zones': zones, 'pdns.conf': POWERDNS.format(
            ip=self.ip, port=self.port, folder=self.folder, modules=_modules())}

    def command(self):
        """Return the command."""
        return [self.program, f'--config-dir={self.folder}']


def _modules():
    """Return the folder of PowerDNS's modules: beside the program, in .venv or in the system."""
    place = pathlib.Path(path_of(PowerDns.program)).resolve().parents[1]
    for root in (place / 'debian', place.parent):
        for module in root.glob('usr/lib/*/pdns/libbindbackend.so'):
            return module.parent
    raise AssertionError('PowerDNS is here, its bind backend is not: '
                         'apt-get install pdns-backend-bind')
