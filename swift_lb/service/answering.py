"""What the HTTP servers of agent and DNS share: who may ask, and the kinds of responses."""
import ipaddress
import json

from webob import Response
from webob.exc import HTTPForbidden

from swift_lb.access import allowed, keyed

KEY = 'HTTP_X_LB_KEY'


def admit(request, key):
    """Return whether a request has the `key` in X-Lb-Key; raises HTTPForbidden to refuse it.

    A client on the loopback interface needs no key if it names this host by address or `localhost`.
    """
    if not allowed(request.environ, KEY, key.encode()):
        raise HTTPForbidden('not from the loopback interface, and without the key in X-Lb-Key')
    trusted = keyed(request.environ, KEY, key.encode())
    if not trusted and not is_address(request.host):
        raise HTTPForbidden('by a name, which a foreign page may have given to this host')
    return trusted


def is_address(host):
    """Return whether a Host header, HOST[:PORT], has an IP address or `localhost`.

    Any other name may be that of a foreign web page, which lets it resolve to this host to read
    answers.
    """
    name = host.rpartition(':')[0] if host.rpartition(':')[2].isdecimal() else host
    try:
        return name == 'localhost' or bool(ipaddress.ip_address(name.strip('[]')))
    except ValueError:
        return False


def reply(document):
    """Return an HTTP response with `document` as JSON, and the header Cache-Control: no-store."""
    return Response(json.dumps(document), content_type='application/json', charset='utf-8',
                    cache_control='no-store')


def metrics(text):
    """Return an HTTP response with metrics in Prometheus' text format; `text` is bytes."""
    return Response(text, content_type='text/plain; version=0.0.4', charset='utf-8')


def health(well, text):
    """Return the response of /healthz: status 200 if `well`, else 503, and the line `text`."""
    return Response(text + '\n', status=200 if well else 503, content_type='text/plain')
