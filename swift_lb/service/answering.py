"""What the HTTP servers of both daemons share: which requests are admitted, and responses."""
import ipaddress
import json

from webob import Response
from webob.exc import HTTPForbidden

from swift_lb.access import allowed, keyed

KEY = 'HTTP_X_LB_KEY'


def admit(request, key):
    """Return whether a request has the `key`; raises HTTPForbidden if it is not admitted.

    Clients on the loopback interface need no key.
    """
    if not allowed(request.environ, KEY, key.encode()):
        raise HTTPForbidden('not from the loopback interface, and without the key in X-Lb-Key')
    trusted = keyed(request.environ, KEY, key.encode())
    if not trusted and not is_address(request.host):
        raise HTTPForbidden('by a name, which a foreign page may have given to this host')
    return trusted


def is_address(host):
    """Return whether a Host header, HOST[:PORT], has an IP address or `localhost`.

    A page of another site can make its own host name resolve to this host, and then read answers.
    """
    name = host.rpartition(':')[0] if host.rpartition(':')[2].isdecimal() else host
    try:
        return name == 'localhost' or bool(ipaddress.ip_address(name.strip('[]')))
    except ValueError:
        return False


def reply(document):
    """Return a response with `document` as JSON."""
    return Response(json.dumps(document), content_type='application/json', charset='utf-8',
                    cache_control='no-store')


def metrics(text):
    """Return a response with Prometheus' text, bytes."""
    return Response(text, content_type='text/plain; version=0.0.4', charset='utf-8')


def health(well, text):
    """Return a response with a line of text, 200 if all is well, else 503."""
    return Response(text + '\n', status=200 if well else 503, content_type='text/plain')
