"""Clients in a site: each reads one object after another for some seconds, on kept connections."""
import json
import sys

from support.wide_area import at

CLIENT = '''
import json, random, sys, threading, time
from http.client import HTTPConnection
from urllib.parse import urlsplit
urls, first = map(json.loads, sys.argv[1:3])
count, seconds, rounds, least = map(float, sys.argv[3:])
reads, kept = [[] for _url in urls], [{} for _client in range(int(count))]
def get(url, connections):
    parts = urlsplit(url)
    if parts.netloc not in connections:
        connections[parts.netloc] = HTTPConnection(parts.hostname, parts.port, timeout=60)
    connection = connections[parts.netloc]
    connection.request('GET', parts.path + (parts.query and '?' + parts.query),
                       headers={'X-Lb-Redirect': 'follow'})
    answer = connection.getresponse()
    return answer, len(answer.read())
def read(url, connections):
    begun, redirects = time.monotonic(), 0
    answer, size = get(url, connections)
    while answer.status == 307:
        redirects += 1
        answer, size = get(answer.headers['Location'], connections)
    return time.monotonic() - begun, answer.status, size, redirects
def read_for_ever(number, until, connections):
    reads[number].append(read(urls[number], connections))
    while time.monotonic() < until:
        reads[number].append(read(urls[number], connections))
for connections in kept:
    for url in first:
        read(url, connections)
end = time.monotonic() + least
while rounds > 0 or time.monotonic() < end:
    rounds -= 1
    for number in random.sample(range(len(urls)), len(urls)):
        until = time.monotonic() + seconds
        threads = [threading.Thread(target=read_for_ever, args=(number, until, connections))
                   for connections in kept]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
print(json.dumps(reads))
'''


def reads(site, url, size, clients, seconds):
    """Return [(seconds of a read, number of its redirects)] of clients in `site` that read `url`.

    `clients` at a time read for `seconds`, and once at least. Exits if a read is not answered by
    200 with `size` bytes.
    """
    return turns(site, [url], size, clients, seconds, 1)[0]


def turns(site, urls, size, clients, seconds, rounds, least=0.0, first=()):
    """Return a list like that of reads() for each of `urls`, which are read in turn.

    In each of the `rounds`, each is read for `seconds`, and once at least, in random order; after
    them come more rounds until `least` seconds have passed. Each client reads the URLs `first`
    before, which do not count.
    """
    results = json.loads(at(
        site, sys.executable, '-c', CLIENT, json.dumps(urls), json.dumps(first), str(clients),
        str(seconds), str(rounds), str(least),
        timeout=least + len(urls) * (rounds + 1) * (seconds + 20) + 100))
    for url, rows in zip(urls, results, strict=True):
        answers = {(status, length) for _took, status, length, _redirects in rows}
        if wrong := answers - {(200, size)}:
            sys.exit(f'clusters: {url} is answered with {sorted(wrong)}, not with 200 and '
                     f'{size} bytes')
    return [[(took, redirects) for took, _status, _length, redirects in rows] for rows in results]
