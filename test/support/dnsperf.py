"""Measure a DNS server with the program dnsperf: its answers per second, and their latency."""
import pathlib
import re
import subprocess
import tempfile
from typing import NamedTuple

from support.name_server import path_of, pinned

# Output of dnsperf 2.10 (https://www.dns-oarc.net/tools/dnsperf): {name: pattern of a line}.
LINES = {'sent': r'Queries sent: +(\d+)', 'completed': r'Queries completed: +(\d+)',
         'lost': r'Queries lost: +(\d+)', 'qps': r'Queries per second: +([\d.]+)',
         'average': r'Average Latency \(s\): +([\d.]+)',
         'deviation': r'Latency StdDev \(s\): +([\d.]+)'}
LATENCY = re.compile(r'^> \S+ \S+ \S+ ([\d.]+)$', re.MULTILINE)
CODE = re.compile(r'([A-Z]\w+) (\d+) \([\d.]+%\)')


class DnsperfFigures(NamedTuple):
    """What dnsperf prints after one run; times are seconds."""

    sent: int
    completed: int
    lost: int           # without an answer after 5 s
    qps: float
    average: float      # latency
    deviation: float    # of latency
    p99: float | None   # of latency; None without a rate
    codes: dict         # {'NOERROR': answers, ...}


def dnsperf(ip, port, questions, seconds, clients=4, rate=None, core=None, options=()):
    """Repeat `questions`, 'NAME TYPE' each, for `seconds`; return the DnsperfFigures of that run.

    `options` are those of dnsperf: ['-D'] for EDNS with DO, ['-E', '10:HEX'] for a cookie. `rate`
    limits the questions per second; with it dnsperf prints each latency, which doubles the work of
    the client: too much for a run that measures the highest rate of a server.
    """
    limit = [] if rate is None else ['-v', '-Q', str(int(rate))]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / 'questions'
        path.write_text('\n'.join([*questions, '']))
        with open(pathlib.Path(folder) / 'output', 'w+') as output:
            subprocess.run(
                [*pinned(core), path_of('dnsperf'), '-s', ip, '-p', str(port), '-d', path, '-W',
                 '-l', str(seconds), '-c', str(clients), '-T', '1', *limit, *options],
                check=True, timeout=seconds + 30, stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT)
            output.seek(0)
            return figures(output.read())


def figures(text):
    """Return the DnsperfFigures in `text`, the output of dnsperf."""
    values = {name: float(re.search(line, text)[1]) for name, line in LINES.items()}
    latencies = sorted(map(float, LATENCY.findall(text)))
    codes = re.search(r'Response codes: +(.*)', text)
    return DnsperfFigures(
        *(int(values[name]) for name in ('sent', 'completed', 'lost')),
        values['qps'], values['average'], values['deviation'],
        latencies[len(latencies) * 99 // 100] if latencies else None,
        {code: int(count) for code, count in CODE.findall(codes[1] if codes else '')})
