"""Each Python installed imports the code, and computes the same Instruction of fixed reports."""
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

import swift_lb
from swift_lb.plan.plan import RULES

ROOT = pathlib.Path(swift_lb.__file__).resolve().parents[1]
REPORTS = pathlib.Path(__file__).resolve().parents[2] / 'cases' / 'reports' / 'twelve.json'
EXPECTED = REPORTS.with_suffix('.sha256')       # RULES DIGEST, a line each
OLDEST = (3, 10)
# Run with nothing but the repository and the standard library.
PROGRAM = '''
import hashlib, json, sys
from swift_lb.model import Heard, Report
from swift_lb.plan.options import DEFAULTS
from swift_lb.plan.plan import RULES, plan
from swift_lb.wire import instruction, node_report
said = json.load(open(sys.argv[1]))["reports"]
heard = {one["node"]: Heard(node_report.report_of(**{
    name: one[name] for name in Report._fields if name in one}), -one["age"]) for one in said}
found = {rules: plan(heard, None, 0.0, DEFAULTS._replace(rules=rules)) for rules in RULES}
print(json.dumps({rules: hashlib.sha256(instruction.encode(one, "boot")).hexdigest()
                  for rules, one in found.items()}))
print(len(found["balanced"].nodes), sys.version_info[:2])
'''
# Imports each module, and compiles those that need a package; prints how many it has imported.
IMPORTS = '''
import importlib, pathlib, sys
root, done = pathlib.Path(sys.argv[1]), 0
for path in sorted(root.joinpath("swift_lb").rglob("*.py")):
    try:
        importlib.import_module(".".join(path.relative_to(root).with_suffix("").parts))
        done += 1
    except ModuleNotFoundError:
        compile(path.read_bytes(), path, "exec")
print(done)
'''


def pythons():
    """Return {(major, minor): path} of the Pythons in PATH and pyenv, one of each version."""
    results = {sys.version_info[:2]: sys.executable}
    places = [pathlib.Path(place) for place in os.environ.get('PATH', '').split(os.pathsep)]
    for place in [*pathlib.Path.home().glob('.pyenv/versions/*/bin'), *places]:
        for path in sorted(place.glob('python3.*')) if place.name != 'shims' else ():
            matched = re.fullmatch(r'python3\.([0-9]+)', path.name)
            if matched and (3, int(matched[1])) >= OLDEST:
                results.setdefault((3, int(matched[1])), str(path))
    return dict(sorted(results.items()))


def digests(python, seed=0):
    """Run PROGRAM with PYTHONHASHSEED `seed`; return ({rules: SHA-256 in hex}, its last line)."""
    first, second = run(python, PROGRAM, REPORTS, seed).splitlines()
    return json.loads(first), second


def run(python, program, argument, seed=0):
    """Run `program`, with `argument`, without any packages; return what it prints."""
    done = subprocess.run(
        [python, '-S', '-B', '-c', program, str(argument)], capture_output=True, text=True,
        env={'PYTHONPATH': str(ROOT), 'PYTHONHASHSEED': str(seed)}, cwd='/', timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


PYTHONS = pythons()


@pytest.mark.parametrize('version', PYTHONS, ids=str)
def test_all_python_versions_compute_the_same_instruction(version):
    result, count = digests(PYTHONS[version], seed=version[1])
    assert count == f'12 {version}'
    expected = dict(line.split() for line in EXPECTED.read_text().splitlines())
    assert set(expected) == set(RULES)
    assert result == expected, f'if the plan was meant to change: write these to {EXPECTED}'


@pytest.mark.parametrize('version', PYTHONS, ids=str)
def test_all_python_versions_accept_the_code(version):
    assert int(run(PYTHONS[version], IMPORTS, ROOT)) > 300


def test_the_instruction_does_not_depend_on_the_order_of_sets():
    assert digests(sys.executable, 1) == digests(sys.executable, 2)
