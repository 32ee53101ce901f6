"""Which proxy a worker talks to."""
from urllib.parse import urlsplit, urlunsplit


def storage_url(session_url, storage_urls, endpoints, worker):
    """Return the storage URL of `worker`, a number from 0; workers take proxies in turn.

    What the login gave comes before `storage_urls`, those of <storage>. `endpoints` come before
    both: one with a path is a whole storage URL, one without replaces scheme, host and port.
    """
    urls = (session_url,) if session_url else storage_urls
    url = urls[worker % len(urls)]
    if not endpoints:
        return url
    endpoint = urlsplit(endpoints[worker % len(endpoints)])
    path = endpoint.path.rstrip('/') or urlsplit(url).path
    return urlunsplit((endpoint.scheme, endpoint.netloc, path, '', ''))


def auth_url(url, endpoints, worker):
    """Return where `worker` asks for its token: TempAuth's and swauth's URL is one of the proxy.

    An endpoint with a path says where the storage is and no more: nobody's key goes there.
    """
    proxies = [endpoint for endpoint in endpoints if not urlsplit(endpoint).path.strip('/')]
    if not proxies:
        return url
    endpoint = urlsplit(proxies[worker % len(proxies)])
    return urlunsplit((endpoint.scheme, endpoint.netloc, *urlsplit(url)[2:]))
