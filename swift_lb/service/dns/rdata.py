"""Parsers of records that the conf gives to the proxies' names, in addition to addresses."""
import dns.name
import dns.rdata
from dns.rdtypes.svcbbase import ParamKey

from swift_lb.config import InvalidError

MAX_DATA = 512      # bytes, so that the record fits into every answer
HTTPS_EXAMPLE = '1 . alpn=h2,http/1.1 port=443'
HINTS = {ParamKey.IPV4HINT: 'ipv4hint', ParamKey.IPV6HINT: 'ipv6hint'}


def rdata(rtype, example):
    """Return a parser of an `rtype` record's data, as in zone files; errors show `example`."""
    def parse(text):
        try:
            record = dns.rdata.from_text('IN', rtype, text)
            if '\n' not in text and len(record.to_wire()) <= MAX_DATA:
                return record
        except Exception:   # of either copy of dnspython: service/dns/__init__.py
            pass
        raise InvalidError(f'must be the data of one {rtype} record, such as {example}')
    return parse


def https(text):
    """Parse the data of an HTTPS record (RFC 9460 2.1); raises InvalidError.

    Refuses what would bypass the choice of an address by load: address hints, and other hosts.
    """
    record = rdata('HTTPS', HTTPS_EXAMPLE)(text)
    if record.priority == 0 or record.target != dns.name.root:
        raise InvalidError(f'must be of the name itself, such as {HTTPS_EXAMPLE}: another host is '
                           'not chosen by load')
    hints = [name for param, name in HINTS.items() if param in record.params]
    if hints:
        raise InvalidError(f'must be without {" and ".join(hints)}: clients that use a hint go '
                           'where it says, not where the load is less')
    return record
