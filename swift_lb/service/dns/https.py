"""The HTTPS record in the conf, sent beside the addresses of the proxies."""
import dns.name
import dns.rdata
from dns.rdtypes.svcbbase import ParamKey

from swift_lb.config import InvalidError

SUCH_AS = 'such as 1 . alpn=h2,http/1.1 port=443'
MOST = 512      # bytes of the record, so that it fits into every answer
HINTS = {ParamKey.IPV4HINT: 'ipv4hint', ParamKey.IPV6HINT: 'ipv6hint'}


def https(text):
    """Parse the data of an HTTPS record in the text format of zone files (RFC 9460 2.1).

    Refuses what would bypass the choice of an address: address hints, and other hosts.
    """
    record = None if '\n' in text else record_of(text)
    if record is None:
        raise InvalidError(f'must be the data of one HTTPS record, {SUCH_AS}')
    if record.priority == 0 or record.target != dns.name.root:
        raise InvalidError(f'must be of the name itself, {SUCH_AS}: another host is not chosen by '
                           'load')
    hints = [name for param, name in HINTS.items() if param in record.params]
    if hints:
        raise InvalidError(f'must be without {" and ".join(hints)}: clients that use a hint go '
                           'where it says, not where the load is less')
    return record


def record_of(text):
    """Return dnspython's rdata, None if the text is invalid."""
    try:
        record = dns.rdata.from_text('IN', 'HTTPS', text)
        return record if len(record.to_wire()) <= MOST else None
    except Exception:   # of either copy of dnspython: service/dns/__init__.py
        return None
