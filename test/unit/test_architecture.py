"""The rules of doc/developing.md: imports, purity, lengths of files and functions, prose."""
import ast
import importlib
from functools import cache
from pathlib import Path

import pytest

import swift_lb

ROOT = Path(swift_lb.__file__).resolve().parent
FILES = sorted(path for path in ROOT.rglob('*.py'))
PURE = {'model', 'errors', 'load', 'policy', 'plan', 'wire', 'zone', 'dispatch', 'chains'}
BASE = {'model', 'errors', 'clock'}
CORE = {'load', 'policy', 'plan', 'wire'}
TOOLS = {'config', 'metrics', 'concurrency', 'shared_memory', 'drawing', 'access',
         'experiment', 'book_path', 'clusters_file', 'conf_file', 'instruction_file',
         'regular_file', 'replica_options', 'tls', 'authorities', 'image_codec', 'version'}
EDGES = {'proxy', 'storage', 'service', 'workload', 'sim', 'lab', 'console'}
MAY_IMPORT = {  # room: what it may import besides itself
    'model': set(), 'clock': set(),
    'errors': {'errors'},
    **dict.fromkeys(CORE, BASE),
    'policy': BASE | {'load'},      # a policy names the evidence that the book keeps for it
    # plan/decision.py completes the Instruction that is read; chains have points and their limits
    'wire': BASE | {'plan', 'chains'},
    'chains': BASE,
    **dict.fromkeys(TOOLS, BASE | CORE | TOOLS | {'chains'}),
    'drawing': BASE,
    'experiment': BASE | {'drawing'},
    'zone': BASE | CORE,
    'dispatch': BASE | CORE | {'chains'},
    **dict.fromkeys(EDGES, BASE | CORE | TOOLS | {'zone', 'dispatch', 'chains'}),
    'evaluation': BASE | CORE | TOOLS | {
        'zone', 'workload', 'lab', 'console'},      # a workload on a lab
    'check': BASE | CORE | TOOLS | {'zone', 'dispatch', 'chains', 'proxy', 'storage', 'service'},
    'cli': BASE | CORE | TOOLS | EDGES | {'zone', 'dispatch', 'chains', 'evaluation', 'check'},
}
IMPURE = {'time', 'os', 'io', 'socket', 'random', 'threading', 'subprocess', 'datetime', 'secrets'}
MAY_IMPORT_SWIFT = {'proxy', 'storage', 'check', 'lab', 'concurrency'}
DAEMONS = ('process.py',)    # the files of service/ that import Swift's Daemon, and only that
MAY_IMPORT_MATPLOTLIB = {'drawing', 'console'}    # console: the demo's PNG
MAY_IMPORT_PILLOW = {'image_codec.py'}
MAX_LINES, USUAL_LINES = 400, 150
DRAWERS = {'utils', 'util', 'helpers', 'common', 'misc'}
CHECKOUT = ROOT.parent
PROGRAMS = sorted(path for folder in ('tools', 'test/bench', 'test/support')
                  for path in (CHECKOUT / folder).rglob('*.py'))     # no test imports all of these


def every_file(law):
    """Return a test that applies `law(path)` to every file and names each file that breaks it.

    One test for each law, not for each file: pytest takes longer to collect thousands of tests than
    to run them.
    """
    def test():
        faults = []
        for path in FILES:
            try:
                law(path)
            except AssertionError as fault:
                faults.append(f'{path.relative_to(ROOT)}: {fault}')
        assert not faults, '\n'.join(faults)
    test.__name__, test.__doc__ = law.__name__, law.__doc__
    return test


@cache
def tree_of(path):
    """Return the syntax tree of a file."""
    return ast.parse(path.read_text())


def room_of(path):
    """Return the room of a file: its folder in swift_lb, or its own name at the top level."""
    parts = path.relative_to(ROOT).with_suffix('').parts
    return parts[0]


def imports_of(path):
    """Return the dotted names a file imports, anywhere in it."""
    names = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f'{node.module}.{alias.name}' for alias in node.names}
            assert node.level == 0, f'{path}: imports are absolute'
    return names


@every_file
def test_packages_import_each_other_in_one_direction(path):
    room = room_of(path)
    rooms = {name.split('.')[1] for name in imports_of(path) if name.startswith('swift_lb.')}
    assert rooms <= MAY_IMPORT.get(room, set()) | {room}


@every_file
def test_pure_packages_read_no_clock_and_do_no_io(path):
    if room_of(path) in PURE:
        tops = {name.split('.')[0] for name in imports_of(path)}
        assert not tops & IMPURE
        calls = {node.func.id for node in ast.walk(tree_of(path))
                 if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
        assert not calls & {'open', 'print', 'input'}


@every_file
def test_only_proxy_storage_check_lab_concurrency_daemons_import_swift(path):
    swifts = {name for name in imports_of(path) if name.split('.')[0] == 'swift'}
    if room_of(path) == 'service' and path.name in DAEMONS:
        assert all(name.startswith(('swift.common.daemon.', 'swift.common.utils.'))
                   for name in swifts)
    elif room_of(path) not in MAY_IMPORT_SWIFT:
        assert not swifts


@every_file
def test_only_seam_py_imports_swifts_proxy(path):
    if path.name != 'seam.py':
        assert not {name for name in imports_of(path) if name.startswith('swift.proxy')}


@every_file
def test_only_concurrency_py_imports_eventlet(path):
    if path.name != 'concurrency.py':
        assert not {name for name in imports_of(path)
                    if name.startswith(('eventlet', 'swift.common.concurrency'))}


@every_file
def test_only_drawing_and_console_import_matplotlib(path):
    if room_of(path) not in MAY_IMPORT_MATPLOTLIB:
        assert not {name for name in imports_of(path) if name.split('.')[0] == 'matplotlib'}


@every_file
def test_only_image_codec_py_imports_pillow(path):
    if path.name not in MAY_IMPORT_PILLOW:
        assert not {name for name in imports_of(path) if name.split('.')[0] == 'PIL'}


@every_file
def test_only_clock_py_reads_the_clock(path):
    if path.name != 'clock.py':
        assert not {name for name in imports_of(path) if name.split('.')[0] == 'time'}
        assert not stamps_of(tree_of(path))


def stamps_of(tree):
    """Return the expressions that read the wall clock: datetime.now, date.today and so on."""
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    known = {alias.asname or alias.name for node in imports for alias in node.names
             if 'datetime' in (alias.name, getattr(node, 'module', None))}
    asked = [ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)
             and node.attr in ('now', 'utcnow', 'today')]
    return [text for text in asked if text.partition('.')[0] in known]


@pytest.mark.parametrize(('text', 'expressions'), [
    ('from datetime import datetime\ndatetime.now()', ['datetime.now']),
    ('from datetime import datetime as dt\nstamp = dt.utcnow', ['dt.utcnow']),
    ('import datetime as d\nd.date.today()', ['d.date.today']),
    ('from datetime import datetime\nself.now()\ndatetime.fromisoformat(x)', [])])
def test_the_clock_check_recognises_reads_of_the_wall_clock(text, expressions):
    assert expressions == stamps_of(ast.parse(text))


@every_file
def test_no_interval_is_computed_from_datetime_objects(path):
    assert 'total_seconds' not in {getattr(node, 'attr', None) for node in ast.walk(tree_of(path))}


@every_file
def test_no_file_or_package_is_called_utils(path):
    assert not set(path.relative_to(ROOT).with_suffix('').parts) & DRAWERS


@every_file
def test_every_public_class_and_function_has_a_docstring(path):
    tree = tree_of(path)
    for thing in (tree, *public(tree)):
        first = (ast.get_docstring(thing) or '').partition('\n')[0]
        name = getattr(thing, 'name', path.name)
        assert first.endswith(('.', '?', '!', ':')) or (thing is tree and first), name


def public(tree):
    """Return the public classes and functions: no leading underscore, not in a function."""
    inner = {id(child) for outer in ast.walk(tree) if isinstance(outer, ast.FunctionDef)
             for child in ast.walk(outer) if child is not outer}
    return [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef | ast.FunctionDef)
            and not node.name.startswith('_') and id(node) not in inner]


def lines_of(path):
    """Return the number of lines of a file."""
    return len(path.read_text().splitlines())


def test_no_file_has_over_400_lines_and_80_percent_at_most_150():
    lengths = {path.relative_to(ROOT): lines_of(path) for path in FILES}
    assert not {name: lines for name, lines in lengths.items() if lines > MAX_LINES}
    short = sum(lines <= USUAL_LINES for lines in lengths.values())
    assert short >= 0.8 * len(lengths)      # fuller files are wanted: DESIGN has the sizes


def test_half_of_functions_have_8_lines_at_most_and_all_40():
    lengths = sorted(node.end_lineno - node.lineno + 1 - docstring_lines(node)
                     for path in FILES for node in ast.walk(tree_of(path))
                     if isinstance(node, ast.FunctionDef))
    assert lengths[len(lengths) // 2] <= 8
    assert lengths[len(lengths) * 9 // 10] <= 15
    assert lengths[-1] <= 40


def docstring_lines(node):
    """Return the number of lines of a function's docstring."""
    if ast.get_docstring(node) is None:
        return 0
    text = node.body[0]
    return text.end_lineno - text.lineno + 1


@every_file
def test_the_workload_package_has_no_name_agent_or_grace(path):
    if room_of(path) == 'workload':
        names = {getattr(node, 'id', getattr(node, 'name', None)) for node in ast.walk(
            tree_of(path))}
        assert not names & {'Agent', 'agent', 'agents', 'GRACE', 'grace'}


@pytest.mark.parametrize('path', PROGRAMS, ids=lambda path: str(path.relative_to(CHECKOUT)))
def test_tools_and_benches_import_only_names_that_exist(path):
    missing = [f'{node.module}.{alias.name}' for node in ast.walk(tree_of(path))
               if isinstance(node, ast.ImportFrom) and node.module.startswith('swift_lb')
               for alias in node.names if not exists(node.module, alias.name)]
    assert not missing


def exists(module, name):
    """Return whether `from module import name` would succeed."""
    package = importlib.import_module(module)
    folders = getattr(package, '__path__', [])
    return hasattr(package, name) or any((Path(folder) / f'{name}.py').is_file()
                                         or (Path(folder) / name).is_dir() for folder in folders)
