"""The choice of the proxy that a worker sends its requests to."""
from urllib.parse import urlsplit, urlunsplit


def storage_url(session_url, storage_urls, endpoints, worker):
    """Return the storage URL of worker number `worker`; workers take the proxies in turn.

    The login's URL takes precedence over `storage_urls`, those of <storage>. `endpoints` take
    precedence over both: one with a path is a complete storage URL, one without replaces scheme,
    host and port.
    """
    urls = (session_url,) if session_url else storage_urls
    url = urls[worker % len(urls)]
    if not endpoints:
        return url
    endpoint = urlsplit(endpoints[worker % len(endpoints)])
    path = endpoint.path.rstrip('/') or urlsplit(url).path
    return urlunsplit((endpoint.scheme, endpoint.netloc, path, '', ''))


def auth_url(url, endpoints, worker):
    """Return the URL of a worker's login: TempAuth and swauth are served by the proxies.

    An endpoint with a path names a storage URL only, so it gets no login, and no key is sent to it.
    """
    proxies = [endpoint for endpoint in endpoints if not urlsplit(endpoint).path.strip('/')]
    if not proxies:
        return url
    endpoint = urlsplit(proxies[worker % len(proxies)])
    return urlunsplit((endpoint.scheme, endpoint.netloc, *urlsplit(url)[2:]))
