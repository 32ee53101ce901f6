"""Waits until an agent has measured a link, and the paths to clients, without other load."""
from bench.clusters.reading import reads

from swift_lb.clock import monotonic
from swift_lb.clusters_file import read

PATIENCE = 45.0         # seconds
SURE = 0.25             # errors of forecasts, as fractions of these
SITES = ('ksu', 'ksu'), ('ucsb', 'ksu'), ('ksu', 'ucsb'), ('ucsb', 'ucsb')     # client, proxy


def follow(lab, url, path, size):
    """Read until ksu is SURE of its link to ucsb, and knows the paths from there to both sites.

    Clients in both sites read the object at `path`, `size` bytes in ucsb, by way of the proxies of
    both sites, and of the one with the storage URL `url`, which fetches; for PATIENCE at most.
    Returns what ksu knows, as text.
    """
    until = monotonic() + PATIENCE
    while True:
        for client, site in SITES:
            endpoint = lab.endpoints[lab.spec.sites.index(site)]
            there = lab.storage_url().replace(lab.endpoint, endpoint)
            reads(client, f'{there}/{path}', size, 1, 0.0)
        reads('ksu', f'{url}/{path}', size, 1, 1.0)
        known, _fault = read(lab.directory / 'run' / 'clusters-1.json')
        link, ways = known.links.get('ucsb'), len(known.paths.get('ucsb', ()))
        is_late = monotonic() > until
        if link and link.bandwidth_error and (is_late or (
                ways >= len(lab.spec.sites) and link.error <= SURE * link.rtt
                and link.bandwidth_error <= SURE * link.bandwidth)):
            return (f'round trip {1e3 * link.rtt:.0f} +- {1e3 * link.error:.0f} ms, bandwidth '
                    f'{8e-6 * link.bandwidth:.1f} +- {8e-6 * link.bandwidth_error:.1f} Mbit/s, '
                    f'{ways} networks of clients')
        if is_late:
            raise SystemExit('clusters: ksu does not know its link to ucsb')
