"""`rfc2136`: the operator's own DNS serves the names, and is told who is healthy (TLLB's [14]).

Every node looks what the server has, and sends an update, signed, only if that is not what it
should be: whoever comes first does it for all, and nobody leads. With nothing to go by, no
Instruction, a node leaves things as they are: others may know more.

One update has all names and both families, and takes place as a whole or not at all (RFC 2136
3.4.2.7). All healthy nodes are in, alike: what a primary hands on to its secondaries can not be
another for each client.
"""
import socket

import dns.flags
import dns.message
import dns.name
import dns.query
import dns.rcode
import dns.rdataclass
import dns.rdatatype
import dns.tsig
import dns.update

from swift_lb.concurrency import sleep
from swift_lb.errors import NameServerError
from swift_lb.zone.decks import FAMILIES
from swift_lb.zone.patience import Patience
from swift_lb.zone.records import type_text
from swift_lb.zone.targets import targets

TIMEOUT = 5.0       # seconds for an answer


class Updater:
    """What one node does about the names."""

    def __init__(self, options):
        """Take DnsOptions, whose update_* say where to and with which key."""
        self._options, self.sent, self.targets = options, 0, {}
        self._instruction, self._ttl = None, options.ttl
        self._patience = Patience(options.patience)
        self._key = dns.tsig.Key(options.update_key_name, options.update_key,
                                 dns.name.from_text(options.update_algorithm))

    def turn(self, instruction, now):
        """Take the Instruction that holds now, or None."""
        self._instruction = instruction
        forgiven = self._patience.forgiven(instruction, now)
        for number, family in enumerate(FAMILIES):
            names = [name for name, both in self._options.proxies.items() if both[number]]
            if names:
                self.targets[family] = targets(instruction, names, forgiven)
        suspect = any(found.suspect for found in self.targets.values())
        self._ttl = self._options.ttl_min if suspect else self._options.ttl

    def document(self, now):
        """Return what it does, as processes that answer do."""
        return {'queries': [], 'given': [], 'resolvers': 0, 'serial': None, 'ttl': self._ttl,
                'updates': self.sent, 'targets': {
                    type_text(family): found.document() | {
                        'mode': self._options.mode, 'size': len(found.shares),
                        'chances': dict.fromkeys(found.shares, 1.0)}
                    for family, found in self.targets.items()}}

    def run_for_ever(self, say):
        """Look at the server again and again; `say(err)` tells of what goes wrong."""
        while True:
            try:
                if self._instruction is not None:
                    self.bring_about()
            except NameServerError as err:
                say(err)
            sleep(self._options.update_interval)

    def bring_about(self):
        """Have the server say what it should; raises NameServerError."""
        ip, ttl, wanted = self._address(), self._ttl, self.wanted()
        if all(self._asked(ip, name, family) == (addresses, ttl)
               for name in self._options.names for family, addresses in wanted.items()):
            return
        update = dns.update.UpdateMessage(self._options.zone, keyring=self._key)
        for name in self._options.names:
            for family, addresses in wanted.items():
                update.replace(name, ttl, dns.rdatatype.RdataType(family), *sorted(addresses))
        self._exchange(ip, update)
        self.sent += 1

    def wanted(self):
        """Return {family: addresses} of who is healthy."""
        return {family: {self._options.proxies[name][FAMILIES.index(family)]
                         for name in found.shares} for family, found in self.targets.items()}

    def _address(self):
        host, port = self._options.update_server
        try:
            return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][4][0]
        except OSError as err:
            raise NameServerError(f'update_server {host}: {err.strerror or err}') from None

    def _asked(self, ip, name, family):
        """Return (the addresses that the server has for `name`, their TTL)."""
        query = dns.message.make_query(name, family)
        query.flags &= ~dns.flags.RD
        answer = self._exchange(ip, query, (dns.rcode.NOERROR, dns.rcode.NXDOMAIN))
        found = answer.get_rrset(dns.message.ANSWER, name, dns.rdataclass.IN, family)
        return (set(), None) if found is None else ({one.address for one in found}, found.ttl)

    def _exchange(self, ip, message, fine=(dns.rcode.NOERROR,)):
        _host, port = self._options.update_server
        where = f'update_server {ip}, port {port}'
        try:
            answer = dns.query.tcp(message, ip, TIMEOUT, port)
        except dns.exception.Timeout:
            raise NameServerError(f'{where}: there is no answer') from None
        except (OSError, EOFError, dns.exception.DNSException) as err:
            raise NameServerError(f'{where}: {err or type(err).__name__}') from None
        if answer.rcode() not in fine:
            raise NameServerError(f'{where} answers {dns.rcode.to_text(answer.rcode())}'
                                  f'{HINTS.get(answer.rcode(), "")}')
        return answer


HINTS = {
    dns.rcode.REFUSED: ': it does not let this key change these names (allow-update, or '
                       'update-policy)',
    dns.rcode.NOTAUTH: ': it is not the primary server of the zone, or has no such key '
                       '(update_key_name, update_key)',
    dns.rcode.NOTZONE: ': the names are not in its zone (zone)',
}
