"""Unbound, BIND and dnsmasq as resolvers; their order of addresses is the default one.

The conf files only set where they listen and that they query the authorities, on loopback, and no
other server. DNSSEC is not validated, because that begins at the root: Unbound is given no key, and
BIND, which has one, has validation switched off.
"""
from support.authorities import BIND
from support.name_server import DnsServer

UNBOUND = '''\
server:
    interface: {ip}@{port}
    directory: "{folder}"
    username: ""
    chroot: ""
    pidfile: ""
    use-syslog: no
    do-not-query-localhost: no
    {limit}
stub-zone:
    name: "{zone}"
{authorities}
'''


class Resolver(DnsServer):
    """A resolver that asks `authorities`, (ip, port) each, for `zone`, and caches their answers.

    It caches an answer for `most_ttl` seconds at most: with 0 each lookup goes to an authority.
    """

    def __init__(self, zone, authorities, most_ttl=None, **where):
        super().__init__(zone, **where)
        self.authorities, self.most_ttl = authorities, most_ttl


class Unbound(Resolver):
    """Unbound as resolver, with the authorities as servers of a stub zone."""

    program, conf_file, template = 'unbound', 'unbound.conf', UNBOUND
    arguments = ('-d', '-p', '-c')

    def fields(self):
        return super().fields() | {
            'limit': '' if self.most_ttl is None else f'cache-max-ttl: {self.most_ttl}',
            'authorities': '\n'.join(f'    stub-addr: {ip}@{port}'
                                     for ip, port in self.authorities)}


class BindResolver(Resolver):
    """BIND, which forwards to the authorities: only forwarders may have a port other than 53."""

    program, conf_file, template, arguments = 'named', 'named.conf', BIND, ('-g', '-c')

    def fields(self):
        limit = '' if self.most_ttl is None else f'max-cache-ttl {self.most_ttl};'
        authorities = ' '.join(f'{ip} port {port};' for ip, port in self.authorities)
        return super().fields() | {
            'options': f'forward only; forwarders {{ {authorities} }}; {limit}', 'more': ''}


class Dnsmasq(Resolver):
    """dnsmasq without a cache: it forwards each query, and keeps the order of the records."""

    program = 'dnsmasq'

    def files(self):
        return {}

    def command(self):
        ip, port = self.authorities[0]
        return [self.program, '--keep-in-foreground', '--conf-file=/dev/null', '--no-resolv',
                '--no-hosts', '--pid-file=', '--user=', '--bind-interfaces',
                f'--listen-address={self.ip}', f'--port={self.port}', '--cache-size=0',
                f'--server={ip}#{port}']


class NoResolver(Resolver):
    """No resolver: its ip and port are those of the first authority, which clients ask."""

    def __enter__(self):
        self.ip, self.port = self.authorities[0]
        return self

    def __exit__(self, *_exc):
        pass
