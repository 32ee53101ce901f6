"""dnsperf: how many questions a second a server answers, and how soon."""
import pathlib
import re
import subprocess
import tempfile
from typing import NamedTuple

from support.name_server import path_of, pinned

# Of https://www.dns-oarc.net/tools/dnsperf 2.10; a line each, and what is in it.
LINES = {'sent': r'Queries sent: +(\d+)', 'completed': r'Queries completed: +(\d+)',
         'lost': r'Queries lost: +(\d+)', 'qps': r'Queries per second: +([\d.]+)',
         'average': r'Average Latency \(s\): +([\d.]+)',
         'deviation': r'Latency StdDev \(s\): +([\d.]+)'}
LATENCY = re.compile(r'^> \S+ \S+ \S+ ([\d.]+)$', re.MULTILINE)
CODE = re.compile(r'([A-Z]\w+) (\d+) \([\d.]+%\)')


class Figures(NamedTuple):
    """The figures of one run; times are seconds."""

    sent: int
    completed: int
    lost: int           # without an answer after 5 s
    qps: float
    average: float      # latency
    deviation: float    # of latency
    p99: float | None   # likewise; of a run at a limited rate
    codes: dict         # {'NOERROR': answers, ...}


def dnsperf(ip, port, questions, seconds, clients=4, rate=None, core=None, options=()):
    """Ask 'NAME TYPE' of each of `questions` in turn, as fast as answers come; return Figures.

    `options` are of dnsperf's: ['-D'] for EDNS with DO, ['-E', '10:HEX'] for a cookie.
    At a limited `rate` a second the latency of each is told too, which costs the client as much
    again: too much where it is the server that is to be kept busy.
    """
    limit = [] if rate is None else ['-v', '-Q', str(int(rate))]
    with tempfile.TemporaryDirectory() as folder:
        asked = pathlib.Path(folder) / 'questions'
        asked.write_text('\n'.join([*questions, '']))
        with open(pathlib.Path(folder) / 'output', 'w+') as output:
            subprocess.run(
                [*pinned(core), path_of('dnsperf'), '-s', ip, '-p', str(port), '-d', asked, '-W',
                 '-l', str(seconds), '-c', str(clients), '-T', '1', *limit, *options],
                check=True, timeout=seconds + 30, stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT)
            output.seek(0)
            return figures(output.read())


def figures(text):
    """Return the Figures that dnsperf has printed."""
    said = {name: float(re.search(line, text)[1]) for name, line in LINES.items()}
    latencies = sorted(map(float, LATENCY.findall(text)))
    codes = re.search(r'Response codes: +(.*)', text)
    return Figures(
        *(int(said[name]) for name in ('sent', 'completed', 'lost')),
        said['qps'], said['average'], said['deviation'],
        latencies[len(latencies) * 99 // 100] if latencies else None,
        {code: int(count) for code, count in CODE.findall(codes[1] if codes else '')})
