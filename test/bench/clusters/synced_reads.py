"""A client of the bench `synced`: reads by way of proxies, and asks the disk of each before.

    python test/bench/clusters/synced_reads.py JSON      prints a JSON list, a row for each read

The JSON has `seed`, `reads`, `names`, and for each cluster `sites` with the address of its proxy,
that of its object server, and {name: path of the object there}. So it is known of every read what
its own cluster would have answered: the object's timestamp on its only disk. A row is

    [site, name, before, status, timestamp, after, redirects, id of the transaction]

    before, after   (status, timestamp) of the disk before and after the read; after is only asked
                    if the read was answered with less than `before`
"""
import json
import random
import sys
from http.client import HTTPConnection
from urllib.parse import urlsplit

FOLLOWS = 0.5       # fraction of reads whose client follows redirects
MOST = 5            # redirects that are followed, so that two are seen
TIMESTAMPS = 'X-Backend-Timestamp', 'X-Timestamp'


class Client:
    """Reads on connections that it keeps."""

    def __init__(self, sites):
        self._sites, self._connections = sites, {}

    def read(self, site, name, follow):
        """Return the row of a read of an object by way of the proxy of `site`."""
        before, after, redirects = self._on_disk(site, name), None, 0
        netloc, path = self._sites[site]['proxy'], f'/v1/AUTH_test/c/{name}'
        headers = {'X-Lb-Redirect': 'follow'} if follow else {}
        answer = self._ask(netloc, 'GET', path, headers)
        while answer.status == 307 and redirects < MOST:
            redirects += 1
            parts = urlsplit(answer.headers['Location'])
            answer = self._ask(parts.netloc, 'GET', f'{parts.path}?{parts.query}', headers)
        row = answer.status, answer.headers['X-Timestamp'] if answer.status == 200 else None
        if is_less(row, before):
            after = self._on_disk(site, name)
        return [site, name, before, *row, after, redirects, answer.headers['X-Trans-Id']]

    def _on_disk(self, site, name):
        answer = self._ask(self._sites[site]['disk'], 'HEAD', self._sites[site]['paths'][name],
                           {'X-Backend-Storage-Policy-Index': '0'})
        return answer.status, next((answer.headers[one] for one in TIMESTAMPS
                                    if one in answer.headers), None)

    def _ask(self, netloc, method, path, headers):
        connection = self._connections.get(netloc)
        if connection is None:
            connection = self._connections[netloc] = HTTPConnection(netloc, timeout=60)
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        answer.read()
        return answer


def is_less(answer, disk):
    """Return whether an answer is older than what a disk has; both are (status, timestamp).

    It is, if it is no 200 although the disk has the object, or if it is a 200 with an earlier
    timestamp than that of the object, or of its deletion, on the disk.
    """
    (status, timestamp), (there, at) = answer, disk
    if status != 200:
        return there == 200
    return at is not None and float(timestamp) < float(at.partition('_')[0])


def main():
    """Make the reads and print the rows."""
    task = json.loads(sys.argv[1])
    client, chance, rows = Client(task['sites']), random.Random(task['seed']), []
    for _read in range(task['reads']):
        rows.append(client.read(chance.choice([*task['sites']]), chance.choice(task['names']),
                                chance.random() < FOLLOWS))
    print(json.dumps(rows))


if __name__ == '__main__':
    main()
