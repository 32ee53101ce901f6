"""Links of a wide-area network beside what their file says: pings, and a GET of 5 MB.

    python test/bench/clusters link [--links LIST]

A lab in the site ucsb, and a client in ksu; needs root. For each link: the least and the median
round trip of PINGS pings, and the rate at which the second half of a body of 5 MB comes, when slow
start is over, with the headers of its packets; the median of READS reads. Exits with 1 if the
median round trip is off by more than 2 ms, or the rate by more than 5 %: on a busy machine they may
be.
"""
import argparse
import os
import socket
import statistics
import struct
from http.client import HTTPConnection

from bench.clusters.predictions import LINKS, PAYLOAD
from bench.clusters.record import inside
from bench.clusters.stored import put
from support.wide_area import sites_with_labs

from swift_lb.clock import monotonic, sleep
from swift_lb.lab.spec import LabSpec
from swift_lb.lab.wan import wan

PINGS, READS, BODY = 20, 3, 5_000_000
PAUSE, PATIENCE = 0.1, 10.0         # seconds between two pings; of a ping
RTT_LIMIT, RATE_LIMIT = 0.002, 0.05         # seconds; fraction
ECHO, ECHO_REPLY = 8, 0             # types of ICMP messages
PLACE = 20                          # of the message in a packet, after the IP header


def echo_request(number):
    """Return the bytes of the ICMP message of a ping with this sequence number."""
    fields = os.getpid() & 0xffff, number
    total = (ECHO << 8) + sum(fields)
    total = (total & 0xffff) + (total >> 16)
    return struct.pack('!BBHHH', ECHO, 0, ~(total + (total >> 16)) & 0xffff, *fields)


def ping(ip, number):
    """Return the seconds until `ip` has answered a ping with this sequence number."""
    request = echo_request(number)
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as icmp:
        icmp.settimeout(PATIENCE)
        begun = monotonic()
        icmp.sendto(request, (ip, 0))
        while True:
            packet, (source, _port) = icmp.recvfrom(1500)
            taken, answer = monotonic() - begun, packet[PLACE:]
            if (source, answer[0], answer[4:]) == (ip, ECHO_REPLY, request[4:]):
                return taken


def rate_of_get(ip, path):
    """Return the bits per second, of whole packets, in which the second half of a body comes."""
    connection = HTTPConnection(ip, 8080, timeout=120)
    connection.request('GET', path)
    answer, got, middle = connection.getresponse(), 0, None
    while piece := answer.read1(65536):
        got, now = got + len(piece), monotonic()
        if middle is None and got >= BODY / 2:
            middle = got, now
    connection.close()
    if (answer.status, got) != (200, BODY):
        raise SystemExit(f'clusters: {path} is answered with {answer.status} and {got} bytes')
    return 8 * (got - middle[0]) / PAYLOAD / (now - middle[1])


def measure(ip, path, results):
    """Append ([seconds of a round trip], bits per second) of the link to `ip` to `results`."""
    trips = []
    for number in range(PINGS):
        trips.append(ping(ip, number))
        sleep(PAUSE)
    results.append((trips, statistics.median(rate_of_get(ip, path) for _read in range(READS))))


def main(words):
    """Measure and print; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    parser.add_argument('--links', default=' '.join(LINKS), help='some of: %(default)s')
    args = parser.parse_args(words)
    specs, far = [LabSpec(name='bench-ucsb', site='ucsb', nodes=1, replicas=1)], 0
    with sites_with_labs('[link ksu ucsb]\n', specs) as labs:
        lab = labs['ucsb']
        put(lab.storage_url(), str(lab.token()), 'c', b'', {'X-Container-Read': '.r:*'})
        put(lab.storage_url(), str(lab.token()), 'c/o', bytes(BODY), {})
        ip = lab.endpoint.split('/')[2].partition(':')[0]
        print(f'{"link":<12}{"least":>10} {"median round trip":>18}{"rate":>22}')
        for name in args.links.split():
            rtt, rate = LINKS[name]
            wan.change([f'rtt={rtt}', f'rate={rate:.0f}'])
            results = []
            inside('ksu', measure, ip, '/v1/AUTH_test/c/o', results).join()
            (trips, speed), = results
            trip = statistics.median(trips)
            far += abs(trip - rtt) > RTT_LIMIT or abs(speed / rate - 1) > RATE_LIMIT
            print(f'{name:<12}{1e3 * min(trips):>7.1f} ms {1e3 * trip:>10.1f} ms'
                  f'{1e3 * (trip - rtt):>+5.1f}{speed / 1e6:>8.2f} Mbit/s{speed / rate - 1:>+7.1%}',
                  flush=True)
    return int(far > 0)
