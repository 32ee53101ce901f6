"""The manual is held against the code it describes."""
import re
from pathlib import Path

import pytest

from swift_lb.config import OPTIONS, PREFIX
from swift_lb.metrics import COUNTERS, GAUGES, LABELED, LEGACY, TIMINGS
from swift_lb.policy import POLICIES
from swift_lb.service import exposition, options
from swift_lb.service.dns import exposition as dns_exposition
from swift_lb.service.http import CHANGING, SHOWN
from swift_lb.service.sensors import SENSORS

DOC = Path(__file__).resolve().parents[2] / 'doc'


def rows(page):
    """Return the cells of every table row of a page, without headings."""
    lines = (DOC / page).read_text().split('\n')
    return [[cell.strip() for cell in line.strip('|').split('|')] for line in lines
            if line.startswith('|') and not line.startswith('|---')]


def test_every_metric_is_documented_with_its_names_and_labels():
    text = {row[0]: row[1] for row in rows('metrics.md')}
    expected = {}
    for name, (labels, _what) in COUNTERS.items():
        legacy = '.'.join([f'proxy-server.{LEGACY}{name}', *(f'<{label}>' for label in labels)])
        expected[f'`{legacy}`'] = f'`{LABELED}{name}` {", ".join(labels)}'
    for name in TIMINGS:
        expected[f'`proxy-server.{LEGACY}{name}.<node>`'] = f'`{LABELED}{name}` node'
    assert expected == {name: text.get(name) for name in expected}
    for name in GAUGES:
        assert f'`proxy-server.{LEGACY}{name}.<node>`' in text
    documented = {re.search(r'\.lb\.(\w+)', row)[1] for row in text if '.lb.' in row}
    assert {*COUNTERS, *TIMINGS, *GAUGES} == documented


@pytest.mark.parametrize('tables', [exposition, dns_exposition], ids=['agent', 'dns'])
def test_every_metric_of_the_daemons_is_documented_with_its_labels(tables):
    text = {row[0]: row[1] for row in rows('metrics.md') if tables.PREFIX in row[0]}
    expected = {f'`{tables.PREFIX}{name}_total`': ', '.join(labels)
                for name, (labels, _what) in tables.COUNTERS.items()}
    expected |= {f'`{tables.PREFIX}{name}`': ', '.join(labels)
                 for name, (labels, _what) in tables.GAUGES.items()}
    assert expected == text


def test_every_option_metric_and_path_of_the_agents_is_in_the_manual():
    text = (DOC / 'agents.md').read_text()
    wanted = {*options.OPTIONS, *options.PLAN, *options.THRESHOLDS, *SENSORS}
    assert [] == [name for name in wanted if f'`{name}`' not in text]
    assert [] == [path for path in (*SHOWN, *CHANGING)
                  if path not in text and path != '/v1/report']


def test_every_policy_has_a_row_and_its_file():
    documented = {row[0].strip('`'): row for row in rows('replicas.md')}
    assert set(POLICIES) <= set(documented)


def test_every_option_is_in_the_manual():
    text = (DOC / 'replicas.md').read_text()
    assert [] == [name for name in OPTIONS if f'`{PREFIX}{name}' not in text]


def test_every_requirement_is_justified():
    root = DOC.parent
    required = re.findall(r'^([a-z-]+)', (root / 'requirements.txt').read_text(), re.MULTILINE)
    extras = re.findall(r'^    ([a-z-]+)>=', (root / 'setup.cfg').read_text(), re.MULTILINE)
    text = (DOC / 'dependencies.md').read_text()
    assert [] == [name for name in required + extras if name not in text]
