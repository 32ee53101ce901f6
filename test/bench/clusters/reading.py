"""Clients in a site: each reads one object after another for some seconds, on kept connections."""
import json
import sys

from support.wide_area import at

CLIENT = '''
import json, sys, threading, time
from http.client import HTTPConnection
from urllib.parse import urlsplit
url, count, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
until, reads = time.monotonic() + seconds, []
def get(url, connections):
    parts = urlsplit(url)
    if parts.netloc not in connections:
        connections[parts.netloc] = HTTPConnection(parts.hostname, parts.port, timeout=60)
    connection = connections[parts.netloc]
    connection.request('GET', parts.path + (parts.query and '?' + parts.query),
                       headers={'X-Lb-Redirect': 'follow'})
    answer = connection.getresponse()
    return answer, len(answer.read())
def read_for_ever():
    connections = {}
    while time.monotonic() < until:
        begun = time.monotonic()
        answer, size = get(url, connections)
        redirects = 0
        while answer.status == 307:
            redirects += 1
            answer, size = get(answer.headers['Location'], connections)
        reads.append((time.monotonic() - begun, answer.status, size, redirects))
threads = [threading.Thread(target=read_for_ever) for _client in range(count)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(json.dumps(reads))
'''


def reads(site, url, size, clients, seconds):
    """Return [(seconds of a read, redirects)] of `clients` in `site` that read `url` for `seconds`.

    Exits if a read is not answered by 200 with `size` bytes.
    """
    rows = json.loads(at(site, sys.executable, '-c', CLIENT, url, str(clients), str(seconds),
                         timeout=seconds + 120))
    if wrong := {(status, length) for _took, status, length, _redirects in rows} - {(200, size)}:
        sys.exit(f'clusters: {url} is answered with {sorted(wrong)}, not with 200 and {size} bytes')
    return [(took, redirects) for took, _status, _length, redirects in rows]
