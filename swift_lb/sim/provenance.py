"""The fingerprint of a result: a digest of the code and the scenario that produced it.

A comparison reuses existing results, except those of a policy or scenario that has changed since.
"""
import ast
import hashlib
from pathlib import Path

import swift_lb
from swift_lb.policy import POLICIES
from swift_lb.replica_options import ReplicaOptions
from swift_lb.sim.contenders import name_of

ROOT = Path(swift_lb.__file__).resolve().parent.parent
CORE = ('swift_lb.sim.run', 'swift_lb.sim.contenders', 'swift_lb.sim.scenario_file',
        'swift_lb.sim.events')
OTHERS = {'swift_lb.policy', 'swift_lb.config'}     # left out: they depend on every policy


def fingerprint(label, text, factor):
    """Return a digest of the code, scenario and options that determine the runs of a policy.

    `label` names the policy. `text` is the text of the scenario file, `factor` the fraction of
    its time that is simulated.
    """
    digest = hashlib.sha256(repr((label, text, factor, ReplicaOptions())).encode())
    name = name_of(label)
    modules = [*CORE, *([POLICIES[name].__module__] if name in POLICIES else [])]
    for path in sorted(sources(modules)):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def sources(modules):
    """Return the paths of the source files of `modules` and of all that they import of swift_lb."""
    files, left = set(), list(modules)
    while left:
        path = _path(left.pop())
        if path and path not in files:
            files.add(path)
            left += [name for name in _imports(path) if name not in OTHERS]
    return files


def _path(module):
    path = ROOT / (module.replace('.', '/') + '.py')
    return path if path.exists() else None


def _imports(path):
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and (node.module or '').startswith('swift_lb'):
            yield node.module
            yield from (f'{node.module}.{alias.name}' for alias in node.names)
