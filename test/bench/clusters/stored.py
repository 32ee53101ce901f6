"""Containers and objects of the benches, made by PUT."""
from http.client import HTTPConnection
from urllib.parse import urlsplit


def put(url, token, name, body, headers):
    """PUT `body` at the path `name`, of a container or an object, below a storage URL `url`."""
    parts = urlsplit(url)
    connection = HTTPConnection(parts.netloc, timeout=60)
    connection.request('PUT', f'{parts.path}/{name}', body, headers | {'X-Auth-Token': token})
    status = connection.getresponse().status
    connection.close()
    if status not in (201, 202):
        raise SystemExit(f'clusters: PUT {name} is answered with {status}')
