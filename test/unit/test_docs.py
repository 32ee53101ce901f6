"""The manual names every option, metric, policy and path of the code."""
import configparser
import re
import tokenize
from pathlib import Path
from types import SimpleNamespace

import pytest

from swift_lb.config import options_of
from swift_lb.dispatch.content import CLASSES
from swift_lb.metrics import COUNTERS, GAUGES, INFO, LABELED, LEGACY, TIMINGS
from swift_lb.policy import POLICIES
from swift_lb.policy.backends import BACKEND_POLICIES
from swift_lb.policy.clusters import CLUSTER_POLICIES
from swift_lb.proxy.dispatch import options as dispatcher_options
from swift_lb.proxy.dispatch.acceptance import WHY
from swift_lb.replica_options import OPTIONS, PREFIX
from swift_lb.service import exposition, options
from swift_lb.service.dns import exposition as dns_exposition
from swift_lb.service.dns import options as dns_options
from swift_lb.service.http import CHANGING, PAGES
from swift_lb.service.sensors import SENSORS

DOC = Path(__file__).resolve().parents[2] / 'doc'
# Files that comments name: Swift's, its tests', and the simulator absim's.
OTHERS_FILES = {'controllers/base.py', 'controllers/obj.py', 'muUpdater.py', 'test_object.py',
                'test/unit/test_base.py'}


def rows(page):
    """Return the lists of cells of all table rows of doc/`page`, headings included."""
    lines = (DOC / page).read_text().split('\n')
    return [[cell.strip() for cell in line.strip('|').split('|')] for line in lines
            if line.startswith('|') and not line.startswith('|---')]


def test_proxy_metrics_are_documented_with_their_labels():
    text = {row[0]: row[1] for row in rows('metrics.md')}
    expected = {}
    for name, (labels, _what) in COUNTERS.items():
        legacy = '.'.join([f'proxy-server.{LEGACY}{name}', *(f'<{label}>' for label in labels)])
        expected[f'`{legacy}`'] = f'`{LABELED}{name}` {", ".join(labels)}'
    for name in TIMINGS:
        expected[f'`proxy-server.{LEGACY}{name}.<node>`'] = f'`{LABELED}{name}` node'
    assert expected == {name: text.get(name) for name in expected}
    for name, (labels, _what) in INFO.items():
        assert f'`proxy-server.{LEGACY}{name}.{".".join(f"<{one}>" for one in labels)}`' in text
    for name in GAUGES:
        assert f'`proxy-server.{LEGACY}{name}.<node>`' in text
    documented = {re.search(r'\.lb\.(\w+)', row)[1] for row in text if '.lb.' in row}
    assert {*COUNTERS, *TIMINGS, *GAUGES, *INFO} == documented


@pytest.mark.parametrize('tables', [exposition, dns_exposition], ids=['agent', 'dns'])
def test_daemon_metrics_are_documented_with_their_labels(tables):
    text = {row[0]: row[1] for row in rows('metrics.md') if tables.PREFIX in row[0]}
    expected = {f'`{tables.PREFIX}{name}_total`': ', '.join(labels)
                for name, (labels, _what) in tables.COUNTERS.items()}
    expected |= {f'`{tables.PREFIX}{name}`': ', '.join(labels)
                 for name, (labels, _what) in tables.GAUGES.items()}
    assert expected == text


def test_agent_options_sensors_and_paths_are_documented():
    text = (DOC / 'agents.md').read_text()
    wanted = {*options.OPTIONS, *options.PLAN, *options.THRESHOLDS, *SENSORS}
    assert [] == [name for name in wanted if f'`{name}`' not in text]
    assert [] == [path for path in (*PAGES, *CHANGING) if path not in text and path != '/v1/report']


def blocks(page):
    """Return the texts of the ini blocks of doc/`page` that begin with a section [lb-...]."""
    return re.findall(r'^```ini\n(\[lb-.*?)^```', (DOC / page).read_text(),
                      re.MULTILINE | re.DOTALL)


def set_in(sample, block):
    """Return the conf text `sample` with the options of `block` in place of its commented ones."""
    for name, value in re.findall('^([a-z0-9_]+) = (.*)$', block, re.MULTILINE):
        sample, times = re.subn(f'^# {name} =.*$', f'{name} = {value}', sample, count=1,
                                flags=re.MULTILINE)
        assert times == 1
    return sample


@pytest.mark.parametrize('copied', [False, True], ids=['written', 'set in a copy of the sample'])
@pytest.mark.parametrize('dns', [0, 1], ids=['membership', 'rfc2136'])
def test_the_conf_blocks_of_the_manual_are_accepted(dns, copied, tmp_path):
    agent, section = blocks('agents.md')[0], blocks('dns.md')[dns]
    if copied:
        agent = set_in((DOC.parent / 'etc' / 'lb-server.conf-sample').read_text(), agent)
    path = tmp_path / 'lb-server.conf'
    path.write_text(f'{agent}\n{section.replace("SECRET", "c2l4dGVlbiBieXRlcyBvciBtb3Jl")}')
    assert len(options.read(path).peers) == 3
    result = dns_options.read(path)
    assert (result.mode, len(result.proxies)) == (['membership', 'rfc2136'][dns], 2)


def test_every_replica_policy_has_a_row_in_the_manual():
    documented = {row[0].strip('`'): row for row in rows('replicas.md')}
    assert set(POLICIES) <= set(documented)


def test_every_replica_option_is_documented():
    text = (DOC / 'replicas.md').read_text()
    assert [] == [name for name in OPTIONS if f'`{PREFIX}{name}' not in text]


def test_every_backend_policy_has_a_row_with_its_source():
    documented = {row[0].strip('`'): row[2] for row in rows('dispatcher.md') if len(row) == 3}
    wanted = {*BACKEND_POLICIES}
    assert wanted == wanted & {name for name, source in documented.items() if source}


def test_every_cluster_policy_has_a_row_with_rule_and_source():
    documented = {row[0].strip('`') for row in rows('clusters.md') if len(row) == 3 and all(row)}
    assert {*CLUSTER_POLICIES} <= documented


def test_dispatcher_options_are_documented_with_defaults():
    documented = {(row[0].strip('`'), row[1]) for row in rows('dispatcher.md')}
    defaults = dispatcher_options.DispatchOptions()
    values = {name: getattr(defaults, name)
              for name in options_of(dispatcher_options.DispatchOptions)}
    assert {(name, ', '.join(value) if type(value) is tuple else str(value or 'none'))
            for name, value in values.items()} <= documented


def test_request_classes_and_refusals_are_in_the_manual():
    documented = {row[0].strip('`') for row in rows('dispatcher.md')}
    assert {*CLASSES, *WHY} <= documented


def test_every_required_package_is_in_dependencies_md():
    root = DOC.parent
    required = [name for file in (root / 'requirements.txt', DOC / 'requirements.txt')
                for name in re.findall(r'^([a-z-]+)', file.read_text(), re.MULTILINE)]
    extras = re.findall(r'^    ([a-z-]+)>=', (root / 'setup.cfg').read_text(), re.MULTILINE)
    text = (DOC / 'dependencies.md').read_text()
    assert [] == [name for name in required + extras if name not in text]


def links_of(page):
    """Return the targets of all links in a Markdown file of the top folder, anchors excluded."""
    return re.findall(r'\]\(([^)#]+)[^)]*\)', (DOC.parent / page).read_text())


def test_links_of_the_readme_lead_to_files_and_those_of_the_package_need_none():
    root = DOC.parent
    links = links_of('README.md')
    assert 'doc/replicas.md' in links
    assert [] == [link for link in links if '://' not in link and not (root / link).exists()]
    assert [] == [link for link in links_of('DESCRIPTION.md') if '://' not in link]


def test_the_description_of_the_package_names_its_extras_programs_and_filters():
    text, config = (DOC.parent / 'DESCRIPTION.md').read_text(), configparser.ConfigParser()
    config.read(DOC.parent / 'setup.cfg')
    points = [line.partition(' = ')[0] for kind in ('console_scripts', 'paste.filter_factory')
              for line in config['entry_points'][kind].strip().split('\n')]
    names = {*config['extras'], *points} - {'test', 'lb_status', 'lb_handicap'}
    assert [] == [name for name in names if f'`{name}`' not in text]


def test_the_pythons_of_the_classifiers_are_those_that_are_tested():
    classifiers = re.findall(r'Python :: (3\.\d+)', (DOC.parent / 'setup.cfg').read_text())
    tested = re.search('^PYTHONS=\\((.*)\\)', (DOC.parent / 'tools/test').read_text(), re.MULTILINE)
    assert classifiers == tested[1].split()


def test_the_parts_that_other_pythons_run_are_all_tests_each_once(pytestconfig):
    conftest = pytestconfig.pluginmanager.get_plugin(str(DOC.parent / 'test/conftest.py'))
    parts = {f'{number}/3': [*range(8)] for number in (1, 2, 3)}
    for part, items in parts.items():
        conftest.pytest_collection_modifyitems(SimpleNamespace(getoption={'part': part}.get), items)
    assert [[0, 3, 6], [1, 4, 7], [2, 5]] == [*parts.values()]


def test_files_named_by_the_developers_page_exist():
    text, root = (DOC / 'developing.md').read_text(), DOC.parent
    rooms = '|'.join(path.name for path in (root / 'swift_lb').iterdir() if path.is_dir())
    named = set(re.findall(rf'(?<![\w/])((?:{rooms})/[\w/]+\.py)', text))
    assert len(named) > 50
    assert [] == sorted(name for name in named if not (root / 'swift_lb' / name).exists()
                        and name not in ('policy/NAME.py',))


def test_files_named_by_the_test_script_exist():
    text, root = (DOC.parent / 'tools' / 'test').read_text(), DOC.parent
    text = re.sub(r'(\S*)\{([\w,]+)\}(\S*)', lambda match: ' '.join(
        match[1] + one + match[3] for one in match[2].split(',')), text)
    named = set(re.findall(r'test/[\w/.-]+', text))
    assert 'test/functional/test_reads.py' in named
    assert [] == sorted(name for name in named if not (root / name).exists())


def test_files_named_by_docstrings_and_comments_exist():
    root, files = DOC.parent, [path for room in ('swift_lb', 'test', 'tools', 'doc')
                               for path in (DOC.parent / room).rglob('*.*')]
    ends = {'/'.join(parts[at:]) for path in files if (parts := path.relative_to(root).parts)
            for at in range(len(parts))}
    named = {(name, path.name) for path in files if path.suffix == '.py'
             for words in words_of(path)
             for name in re.findall(r'(?<![\w/.-])((?:[\w-]+/)*[\w-]+\.(?:py|md))\b(?!/)', words)}
    assert len(named) > 100
    assert [] == sorted((name, where) for name, where in named
                        if name not in ends and name not in OTHERS_FILES)


def words_of(path):
    """Yield each comment and docstring of a Python file."""
    with path.open('rb') as file:
        for token in tokenize.tokenize(file.readline):
            if token.type == tokenize.COMMENT or token.string.startswith('"""'):
                yield token.string
