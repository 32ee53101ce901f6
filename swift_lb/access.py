"""Access to status pages: for clients on the loopback interface, and for clients with a key.

A request that a local TLS terminator or balancer has forwarded also comes from the loopback
interface, but its client does not: with a forwarding header, only the key counts.
"""
import hmac
import ipaddress

FORWARDED = ('HTTP_X_FORWARDED_FOR', 'HTTP_FORWARDED', 'HTTP_X_CLUSTER_CLIENT_IP', 'HTTP_VIA',
             'HTTP_X_REAL_IP', 'HTTP_X_FORWARDED_PROTO', 'HTTP_X_FORWARDED_HOST')


def allowed(env, header, key):
    """Return whether a WSGI request has the right key, or comes directly from this host.

    Directly: from a loopback address, without a header of a forwarding balancer. `header` is the
    name of the key's header in `env`, such as HTTP_X_KEY; `key` is the right key in bytes.
    """
    return keyed(env, header, key) or (
        not any(name in env for name in FORWARDED) and loopback(env.get('REMOTE_ADDR')))


def keyed(env, header, key):
    """Return whether item `header` of the WSGI dict `env` is the bytes `key`; False for no key."""
    sent = env.get(header, '').encode('latin-1')
    return bool(key) and hmac.compare_digest(sent, key)


def is_this_host(host):
    """Return whether `host`, a name or an address, is this host's loopback interface."""
    return host == 'localhost' or loopback(host)


def loopback(address):
    """Return whether `address`, a REMOTE_ADDR or None, is a loopback IP, also ::ffff:127.0.0.1."""
    try:
        ip = ipaddress.ip_address(address or '')
    except ValueError:
        return False
    return (getattr(ip, 'ipv4_mapped', None) or ip).is_loopback
