"""A policy added to a copy of the tree, as doc/developing.md describes: four files each."""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
COPIED = ('swift_lb', 'test/support', 'test/unit/policy', 'doc', 'etc')
FILES = ('pyproject.toml', 'README.md', 'test/conftest.py', 'test/unit/conftest.py',
         'test/unit/test_docs.py', 'test/unit/test_conf_sample.py')
LAWS = 15       # tests that run over the registry, at least

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


def add(root, additions):
    """Apply `additions` to the tree at `root`."""
    for name, words in additions.items():
        path = root / name
        if words[0] is None:
            path.write_text(words[1])
            continue
        for anchor, text in zip(words[::2], words[1::2], strict=True):
            before, found, after = path.read_text().partition(f'\n{anchor}')
            assert found, f'{name} has no line {anchor}'
            path.write_text(f'{before}\n{text}{anchor}{after}')


@pytest.fixture
def copy(tmp_path):
    """Return a copy of what the laws of policies need of the tree."""
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
def test_a_new_policy_touches_four_files(copy, name, additions, tests):
    assert len(additions) <= 4
    add(copy, additions)
    chosen = f'{name} or replica_policy_has_a_row or backend_policy_has_a_row or sample_lists'
    environ = os.environ | {'PYTHONPATH': f'{copy}{os.pathsep}{copy / "test"}'}
    run = subprocess.run(
        [sys.executable, '-m', 'pytest', '-v', '-p', 'no:cacheprovider', '-k', chosen,
         *(f'test/unit/{test}' for test in tests)],
        cwd=copy, env=environ, capture_output=True, text=True, timeout=300)
    assert 0 == run.returncode, run.stdout + run.stderr
    passed = re.search(r'(\d+) passed', run.stdout)
    assert int(passed[1]) > LAWS, run.stdout
