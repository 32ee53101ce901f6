"""Sample outputs in the manual have the columns and the policy that the commands have today."""
import re
import runpy
from pathlib import Path

import pytest
from rich.console import Console

from swift_lb.console import columns, comparison, dispatch_why, object_why, routes_why
from swift_lb.console.table import table
from swift_lb.proxy.dispatch.options import DispatchOptions
from swift_lb.replica_options import ReplicaOptions

ROOT = Path(__file__).resolve().parents[2]
LEFT_OUT = '...'
# Of each command: what its first lines are like, with the policy; its columns; the default policy.
COMMANDS = {
    'top': (r'\S+, \d+ workers? seen   policy (\w+)\n', columns.DEVICES, ReplicaOptions().policy),
    'why': (r'\S+: storage policy \d+, partition \d+, policy (\w+)\n.*\n', object_why.COLUMNS,
            ReplicaOptions().policy),
    'why --dispatch': (r'\w+ \S+: content class \w+, policy (\w+)\n.*\n', dispatch_why.layout(''),
                       DispatchOptions().policy),
    'why --clusters': (r'\w+ \S+: content class .*\nas a worker .* policy (\w+), decided \w+\n',
                       routes_why.COLUMNS, DispatchOptions().cluster_policy)}


def samples(begin):
    """Return [(policy that is set above, policy, lines after `begin`)] of all pages of the manual.

    `begin` is a pattern of the first lines of a block, with a group for the policy. The policy that
    is set above is that of the block of commands above the sample, or None.
    """
    found = []
    for page in sorted((ROOT / 'doc').glob('*.md')):
        text = page.read_text()
        for sample in re.finditer(rf'^```\w*\n(?:\$ .*\n)?{begin}((?:.+\n)*?)```', text,
                                  re.MULTILINE):
            commands = re.findall(r'^```sh\n.*?^```', text[:sample.start()],
                                  re.MULTILINE | re.DOTALL)
            set_above = re.search(r'policy=(\w+)', commands[-1]) if commands else None
            found.append((set_above and set_above[1], sample[1], sample[2].split('\n')))
    return found


def heading_of(layout):
    """Return the words of each line of the heading of a table with the Columns `layout`."""
    console = Console(width=400)
    with console.capture() as captured:
        console.print(table([], None, layout))
    return [line.split() for line in captured.get().rstrip('\n').split('\n')]


def shows(line, words):
    """Return whether a line of a sample has these words, but for those that `...` stands for."""
    if LEFT_OUT not in line.split():
        return line.split() == words
    rest = iter(words)
    return all(word in rest for word in line.split() if word != LEFT_OUT)


@pytest.mark.parametrize(('begin', 'layout', 'default'), COMMANDS.values(), ids=COMMANDS)
def test_samples_in_the_manual_have_the_policy_and_columns_of_today(begin, layout, default):
    found, heading = samples(begin), heading_of(layout)
    assert found
    assert [] == [sample for sample in found if sample[1] != (sample[0] or default)]
    assert [] == [lines for _above, _policy, lines in found
                  if not all(map(shows, lines, heading))]


def test_a_column_that_is_gone_is_noticed_in_a_sample():
    assert shows('node  ...  why', ['node', 'in', 'flight', 'why'])
    assert not shows('node  ...  score', ['node', 'in', 'flight', 'why'])
    assert not shows('node  why', ['node', 'in', 'flight', 'why'])


@pytest.mark.parametrize('page', ['README.md', 'doc/replicas.md'])
def test_the_tables_of_the_demo_have_its_columns_and_policies(page):
    policies = runpy.run_path(str(ROOT / 'tools' / 'demo.py'))['POLICIES']
    wanted = comparison.table({}, {1: 1.0, 2: 1.0, 3: 1.0})
    heading, *rows = re.search(r'^ *(policy +req/s.*\n)((?: *[A-Zo]\S+ +\w+ +[\d.]+ .*\n| *─+\n)+)',
                               (ROOT / page).read_text(), re.MULTILINE).group(1, 2)
    assert heading.split() == ' '.join(str(one.header) for one in wanted.columns).split()
    assert [row.split()[1] for row in rows[0].split('\n') if row.strip(' ─')] == [
        policy.removeprefix(comparison.SWIFT) for policy in policies]
