"""Policies, a sensor, an option and a DNS record type, each added to a copy of the tree.

The steps are those of doc/developing.md, which counts the files that each of them touches.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COPIED = ('swift_lb', 'test/support', 'test/unit/policy', 'test/unit/zone', 'test/unit/service',
          'doc', 'etc')
FILES = ('pyproject.toml', 'README.md', 'test/conftest.py', 'test/unit/conftest.py',
         'test/unit/test_docs.py', 'test/unit/test_conf_sample.py')
LAWS = 15       # tests that run over the registry, at least
REPLACED = '-'  # of an anchor: that line is left out

REPLICAS = {        # file: (the line before which it is added, the text)
    'swift_lb/policy/fewest_queued.py': (None, '''\
"""fewest_queued: cost = the reads of this host on the node without a first byte."""
from swift_lb.policy.cost import LowestCost


class FewestQueued(LowestCost):
    """Order by the reads queued."""

    def cost(self, node, snapshot, now):
        """Return the number of reads queued on `node`."""
        return snapshot.of(node).queued

    def _reason(self, node, snapshot, now):
        return f'{snapshot.of(node).queued} queued'
'''),
    'swift_lb/policy/__init__.py': (
        'from swift_lb.policy.in_flight', '''\
from swift_lb.policy.fewest_queued import FewestQueued
''', "    'adaptive': Adaptive", '''\
    'fewest_queued': FewestQueued,
'''),
    'doc/replicas.md': ('| `least_in_flight`', '''\
| `fewest_queued` | this example | the one with the fewest reads queued | counts as any other |
'''),
    'test/unit/policy/test_formulas.py': ('def test_lb_rlt_explains_its_score', '''\
def test_fewest_queued_takes_the_fewest():
    loads = {SN1: NodeLoad(queued=2), SN2: NodeLoad(queued=1)}
    assert [SN3, SN2, SN1] == order('fewest_queued', loads)


'''),
}
BACKENDS = {
    'swift_lb/policy/backends/in_flight.py': ('class NeverQueue', '''\
class FewestRequests(WeightedCost):
    """Order by in_flight, weight 0 last."""

    def _cost_of(self, load, weight):
        return load.in_flight

    def _words(self, load, weight):
        return f'{load.in_flight} in flight'


'''),
    'swift_lb/policy/backends/__init__.py': (
        '    LeastConnection,', '''\
    FewestRequests,
''', "    'adaptive':", '''\
    'fewest_requests': FewestRequests,
'''),
    'doc/dispatcher.md': ('| `least_connection`', '''\
| `fewest_requests` | an example | this test |
'''),
    'etc/proxy-server.conf-sample': ('#   least_connection', '''\
#   fewest_requests  an example
'''),
}


RECORD_TYPE = {
    'swift_lb/service/dns/options.py': ('    bind_ip: tuple', """\
    caa: dns.rdata.Rdata | None = option(None, optional(rdata('CAA', '0 issue "ca.example"')), '',
                                         'the CAA record of names')
""", 'from swift_lb.service.dns.rdata import https', """\
from swift_lb.service.dns.rdata import rdata
"""),
    'swift_lb/conf_file.py': ('            refresh retry', """\
            caa
"""),
    'etc/lb-server.conf-sample': ('# IP addresses at which queries', """\
# The data of a CAA record (RFC 8659) of the names, such as 0 issue "ca.example".
# caa =

"""),
    'doc/dns.md': ('| `https` |', """\
| `caa` | none | a CAA record of the names |
"""),
}
QUESTION = """
import random, dns.message
from support.zone_options import WALL
from swift_lb.service.dns.options import dns_options
from swift_lb.zone.responder import Responder
options = dns_options({'node': 'a', 'zone': 'lb.example.com', 'proxies': 'a=192.0.2.1',
                       'ns': 'ns1.lb.example.com=192.0.2.2', 'caa': '0 issue "ca.example"',
                       'cookie_key': '00' * 16})
responder = Responder(options, 0.0, random.Random(1), lambda: WALL)
responder.follow(None, 0.0)
query = dns.message.make_query('lb.example.com.', 'CAA').to_wire()
print(*dns.message.from_wire(responder.udp(query, '192.0.2.9', 1.0)).answer)
"""


SENSOR = {
    'swift_lb/service/sensors/host.py': ('class AsyncPending', '''\
class Waiting(Sensor):
    """The first number in a file that another program writes."""

    name, unit = 'waiting', 'jobs'
    options = {'file': Option(absolute_path, '', 'the file with the number')}

    def __init__(self, *, file='/proc/loadavg'):
        self._file = file

    def _read(self, _now):
        with open(self._file) as file:
            return float(file.read().split()[0])


'''),
    'swift_lb/service/sensors/__init__.py': (
        '-from swift_lb.service.sensors.host', '''\
from swift_lb.service.sensors.host import AsyncPending, Cpu, LoadAverage, Memory, Waiting
''', '    AsyncPending, ', '''\
    Waiting,
'''),
    'doc/agents.md': ('| `async_pending`', '''\
| `waiting` | jobs | an example |
'''),
}
MEASURED = """
import sys
from swift_lb.errors import ConfigError
from swift_lb.service.options import agent_options
from swift_lb.service.sensors import make_sensors
options = agent_options({'node': 'a'}, {'waiting': {'file': sys.argv[1]}})
print(make_sensors({'waiting': dict(options.metrics['waiting'])}, None)['waiting'].read(1.0))
try:
    agent_options({'node': 'a'}, {'waiting': {'file': 'jobs'}})
except ConfigError as err:
    print(err)
"""
FILTER_OPTION = {
    'swift_lb/proxy/status.py': (
        '-from swift_lb.config import', """\
from swift_lb.config import absolute_path, option, optional, read_options
""", 'class StatusFilter', """\
    alias: str = option('', optional(absolute_path), '', 'another path of the page')


""", '-    def __init__(self, app, key)', """\
    def __init__(self, app, key, alias=''):
        self._paths = PATH, alias
""", "-        if env.get('PATH_INFO') != PATH", """\
        if env.get('PATH_INFO') not in self._paths:
""", '-    return lambda app: StatusFilter', """\
    return lambda app: StatusFilter(app, options.key, options.alias)
"""),
    'etc/proxy-server.conf-sample': ('[filter:lb_dispatcher]', """\
# Another path at which the page is served, for those who have used it before.
# alias =

"""),
    'doc/status.md': ('- to clients that send the key', """\
- at the path `alias` too, an example;
"""),
}
ANSWERED = """
from swift.common.wsgi import ConfigFileError
from swift_lb.proxy.status import filter_factory
made = filter_factory({'__file__': 'x.conf'}, alias='/load')(lambda env, start: ['passed on'])
for path in '/load', '/other':
    env = {'PATH_INFO': path, 'REQUEST_METHOD': 'POST', 'REMOTE_ADDR': '127.0.0.1'}
    print(path, *made(env, lambda status, headers: print(status)))
try:
    filter_factory({'__file__': 'x.conf'}, alias='load')
except ConfigFileError as err:
    print(err)
"""


def add(root, additions):
    """Edit files below `root`: {file: (anchor, text, ...)}, a text goes before its anchor's line.

    With the anchor None the text is a new file; with `-` before the anchor its line is left out.
    """
    for name, words in additions.items():
        path = root / name
        if words[0] is None:
            path.write_text(words[1])
            continue
        for anchor, text in zip(words[::2], words[1::2], strict=True):
            line = anchor.removeprefix(REPLACED) if name.endswith('.py') else anchor
            before, result, after = path.read_text().partition(f'\n{line}')
            assert result, f'{name} has no line {line}'
            if line != anchor:
                line, after = '', after.partition('\n')[2]
            path.write_text(f'{before}\n{text}{line}{after}')


@pytest.fixture
def copy(tmp_path):
    """Return the folder of a copy of COPIED and FILES, the part of the tree that is needed."""
    for name in COPIED:
        shutil.copytree(ROOT / name, tmp_path / name,
                        ignore=shutil.ignore_patterns('__pycache__', 'comparison', 'evaluation'))
    for name in FILES:
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


@pytest.mark.parametrize(('name', 'additions', 'tests'), [
    ('fewest_queued', REPLICAS, ('policy/test_laws.py', 'policy/test_sign.py',
                                 'policy/test_formulas.py', 'test_docs.py')),
    ('fewest_requests', BACKENDS, ('policy/backends/test_backend_laws.py', 'test_docs.py',
                                    'test_conf_sample.py'))])
def test_adding_a_policy_changes_four_files_at_most(copy, name, additions, tests):
    assert len(additions) <= 4
    add(copy, additions)
    chosen = f'{name} or replica_policy_has_a_row or backend_policy_has_a_row or sample_lists'
    assert passed(copy, chosen, tests) > LAWS


def test_adding_a_sensor_changes_three_files_at_most(copy, tmp_path):
    assert len(SENSOR) <= 3
    add(copy, SENSOR)
    assert passed(copy, 'waiting or sensors_and_paths',
                  ('service/sensors/test_sensors.py', 'test_docs.py')) >= 9
    (tmp_path / 'jobs').write_text('7 jobs')
    assert ['7.0', 'lb-server.conf, [lb-agent:metric:waiting], file = jobs: must be an absolute '
            'path'] == python(copy, '-c', MEASURED, tmp_path / 'jobs').splitlines()


def test_adding_a_filters_option_changes_three_files_at_most(copy):
    assert len(FILTER_OPTION) <= 3
    add(copy, FILTER_OPTION)
    assert passed(copy, 'lb_status', ('test_conf_sample.py',)) >= 3
    assert ['404 Not Found', "/load b''", '/other passed on',
            'x.conf, [filter:lb_status], alias = load: must be an absolute path'
            ] == python(copy, '-c', ANSWERED).splitlines()


def test_adding_a_dns_record_type_changes_four_files_at_most(copy):
    assert len(RECORD_TYPE) <= 4
    add(copy, RECORD_TYPE)
    assert passed(copy, 'lb-dns or test_data', ('test_conf_sample.py', 'zone/test_data.py')) > LAWS
    assert 'lb.example.com. 60 IN CAA 0 issue "ca.example"' in python(copy, '-c', QUESTION)


def passed(copy, chosen, tests):
    """Return how many tests of the files `tests` that match pytest -k `chosen` pass; none fails."""
    output = python(copy, '-m', 'pytest', '-v', '-p', 'no:cacheprovider', '-k', chosen,
                    *(f'test/unit/{test}' for test in tests))
    return int(re.search(r'(\d+) passed', output)[1])


def python(copy, *words):
    """Run Python with the arguments `words` in the copy; return its output, fail if it fails."""
    environ = os.environ | {'PYTHONPATH': f'{copy}{os.pathsep}{copy / "test"}'}
    run = subprocess.run([sys.executable, '-W', 'ignore', *words], cwd=copy, env=environ,
                         capture_output=True, text=True, timeout=300)
    assert 0 == run.returncode, run.stdout + run.stderr
    return run.stdout
