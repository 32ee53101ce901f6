"""Mode `rfc2136`: DNS UPDATE puts the healthy proxies into the operator's own DNS server.

Every node queries that server, and sends a signed update only if the server's records are not as
they should be: the first node that notices corrects them for all, without a leader. A node without
an Instruction changes nothing, because other nodes may have one. The idea is from section 2.2 of
the TLLB paper: an unmodified DNS server, updated with the web servers that are not overloaded.

One update has all names and both families, and is applied completely or not at all (RFC 2136
3.4.2.7). It contains all healthy nodes equally: a primary cannot give its secondaries different
records for each client.
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
from swift_lb.zone.records import FAMILIES, type_text
from swift_lb.zone.targets import OverloadDelay, is_suspect, of_families

TIMEOUT = 5.0       # seconds for an answer


class Updater:
    """Keeps the proxies' records on the operator's server as the Instruction says."""

    def __init__(self, options):
        """Take DnsOptions, whose options update_* give the operator's server and the key."""
        self._options, self.sent, self.targets = options, 0, {}
        self._sent = None           # the (TTL, addresses) of the last update
        self._instruction, self._ttl = None, options.ttl
        self._delay = OverloadDelay(options.patience)
        self._key = dns.tsig.Key(options.update_key_name, options.update_key,
                                 dns.name.from_text(options.update_algorithm))

    def follow(self, instruction, now):
        """Compute the wanted records at `now` from `instruction`, the valid one or None."""
        self._instruction = instruction
        tolerated = self._delay.tolerated(instruction, now)
        self.targets = of_families(instruction, self._options.proxies, tolerated)
        self._ttl = self._options.ttl_min if is_suspect(self.targets) else self._options.ttl

    def document(self, now):
        """Return the status and the number of updates, as the report of a DNS process."""
        return {'queries': [], 'given': [], 'resolvers': 0, 'serial': None, 'ttl': self._ttl,
                'updates': self.sent, 'targets': {
                    type_text(family): target.document() | {
                        'mode': self._options.mode, 'size': len(target.shares),
                        'chances': dict.fromkeys(target.shares, 1.0)}
                    for family, target in self.targets.items()}}

    def run_for_ever(self, say):
        """Compare the records of the operator's DNS server with the wanted ones, and correct them.

        Repeated for ever, `update_interval` seconds apart; `say(err)` reports an exception.
        """
        while True:
            try:
                if self._instruction is not None:
                    self.bring_about()
            except Exception as err:    # any failure may be temporary
                say(err)
            sleep(self._options.update_interval)

    def bring_about(self):
        """Send an update if the server's records are not as wanted; raises NameServerError."""
        ip, ttl, wanted = self._address(), self._ttl, self.wanted()
        records = [(self._records_at(ip, name, family), addresses)
                   for name in self._options.names for family, addresses in wanted.items()]
        right = all(present == addresses for (present, _ttl), addresses in records)
        # A server may limit TTLs: each of ours is sent only once, even if it is changed.
        if right and (self._sent == (ttl, wanted)
                      or all(its in (ttl, None) for (_present, its), _addresses in records)):
            return
        self._exchange(ip, self._message(ttl, wanted))
        self.sent, self._sent = self.sent + 1, (ttl, wanted)

    def _message(self, ttl, wanted):
        """Return a DNS UPDATE that gives the proxies' names just `wanted`, {family: addresses}."""
        update = dns.update.UpdateMessage(self._options.zone, keyring=self._key)
        for name in self._options.names:
            for family, addresses in wanted.items():
                kind = dns.rdatatype.RdataType(family)
                update.delete(name, kind)
                if addresses:
                    update.add(name, ttl, kind, *sorted(addresses))
        return update

    def wanted(self):
        """Return {family, A or AAAA: the set of the healthy proxies' addresses, perhaps empty}."""
        healthy = {family: target.shares for family, target in self.targets.items()}
        return {family: {self._options.proxies[name][number] for name in healthy.get(family, ())}
                for number, family in enumerate(FAMILIES)}

    def _address(self):
        host, port = self._options.update_server
        try:
            return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][4][0]
        except (OSError, UnicodeError) as err:
            raise NameServerError(
                f'update_server {host}: {getattr(err, "strerror", None) or err}') from None

    def _records_at(self, ip, name, family):
        """Return (the set of addresses, their TTL or None) that the server `ip` has for `name`."""
        query = dns.message.make_query(name, family)
        query.flags &= ~dns.flags.RD
        answer = self._exchange(ip, query, (dns.rcode.NOERROR, dns.rcode.NXDOMAIN))
        records = answer.get_rrset(dns.message.ANSWER, name, dns.rdataclass.IN, family)
        return (set(), None) if records is None else ({one.address for one in records}, records.ttl)

    def _exchange(self, ip, message, fine=(dns.rcode.NOERROR,)):
        _host, port = self._options.update_server
        where = f'update_server {ip}, port {port}'
        try:
            answer = dns.query.tcp(message, ip, TIMEOUT, port)
        except Exception as err:    # of sockets, or of dnspython
            raise NameServerError(f'{where}: {str(err) or type(err).__name__}') from None
        if message.keyring and not answer.had_tsig and answer.rcode() in fine:
            raise NameServerError(f'{where}: the answer is not signed')
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
