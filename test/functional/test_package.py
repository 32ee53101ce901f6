"""The package: sdist and wheels of one version, whole, built without a warning, and installed."""
import configparser
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOT_SHIPPED = shutil.ignore_patterns('.*', '*.egg-info', '__pycache__', 'build', 'dist')
# pbr's template of a manifest names these, whether or not they exist.
ABSENT = ('AUTHORS', 'ChangeLog', '.gitreview', '*.pyc')
# What a front end such as pip or build runs, without downloads: what it needs is here.
HOOK = 'import sys, setuptools.build_meta as build; print(getattr(build, sys.argv[1])(sys.argv[2]))'
FIND = '''
import importlib.resources, pathlib, sys, swift_lb
place = pathlib.Path(swift_lb.__file__).parent
assert place.is_relative_to(sys.prefix), place
print(*(path.relative_to(place.parent) for path in place.rglob('*')), sep='\\n')
share = pathlib.Path(sys.prefix, 'share', 'swift-lb')
print(*(pathlib.Path('etc', path.relative_to(share)) for path in share.rglob('*')), sep='\\n')
'''


def run(*command, cwd):
    """Run a command in the folder `cwd`, without our settings of Python; return what it prints."""
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith('PYTHON') and name != 'PBR_VERSION'}
    done = subprocess.run([*map(str, command)], cwd=cwd, env=environment, text=True, timeout=600,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    assert done.returncode == 0, done.stdout
    return done.stdout


def build(hook, tree, into):
    """Run a hook of PEP 517 in the folder `tree`; return (the path of the result, all output)."""
    printed = run(sys.executable, '-c', HOOK, hook, into, cwd=tree)
    return into / printed.split()[-1], printed


def tree_of(folder, clone):
    """Return a copy of the tree as it is here, a checkout if `clone`, else without git."""
    if clone:
        run('git', 'clone', '-q', ROOT, folder, cwd=ROOT)
    shutil.copytree(ROOT, folder, ignore=NOT_SHIPPED, dirs_exist_ok=True)
    if clone:
        run('git', 'add', '-A', cwd=folder)
    return folder


@pytest.fixture(scope='module')
def built(tmp_path_factory):
    """Return {how it was built: (path, output)}: sdist, wheel from the sdist and from checkout."""
    if not (ROOT / '.git').exists():
        pytest.skip('this tree is no checkout')
    top = tmp_path_factory.mktemp('package')
    checkout, results = tree_of(top / 'checkout', clone=True), {}
    for name in ('first', 'second'):
        (top / name).mkdir()
    results['sdist'] = sdist, _output = build('build_sdist', checkout, top / 'first')
    results['checkout'] = build('build_wheel', checkout, top / 'first')
    with tarfile.open(sdist) as archive:
        archive.extractall(top / 'unpacked')    # our own: Debian's 3.11.2 has no filters
    results['wheel of sdist'] = build('build_wheel', next((top / 'unpacked').iterdir()),
                                      top / 'second')
    return results


@pytest.fixture(scope='module')
def installed(built, tmp_path_factory):
    """Return the folder of an environment that has nothing but the wheel."""
    folder = tmp_path_factory.mktemp('environment')
    run(sys.executable, '-m', 'venv', '--without-pip', folder, cwd=folder)
    run(sys.executable, '-m', 'pip', '--python', folder / 'bin' / 'python', 'install', '-q',
        '--no-deps', '--no-index', '--no-compile', built['wheel of sdist'][0], cwd=folder)
    return folder


def shipped(*folders):
    """Return the paths, relative to the tree, of all files and folders in these folders of it."""
    return {str(path.relative_to(ROOT)) for folder in folders for path in (ROOT / folder).rglob('*')
            if '__pycache__' not in path.parts}


def test_sdist_and_both_wheels_have_one_version_and_print_no_warning(built):
    versions = {re.match(r'swift.lb-(.*?)(-py3|\.tar)', path.name)[1]
                for path, _output in built.values()}
    assert len(versions) == 1
    for _path, output in built.values():
        assert [] == [line for line in output.splitlines()
                      if re.search('warning|deprecat', line, re.IGNORECASE)
                      and not any(f"'{name}'" in line for name in ABSENT)]


def test_both_wheels_have_the_same_files_and_metadata(built):
    one, other = (zipfile.ZipFile(built[name][0]) for name in ('checkout', 'wheel of sdist'))
    names = {name for name in one.namelist() if not name.endswith(('/RECORD', '/pbr.json'))}
    assert names == {name for name in other.namelist()
                     if not name.endswith(('/RECORD', '/pbr.json'))}
    assert [] == [name for name in names if one.read(name) != other.read(name)]


def test_a_tree_without_git_and_pkg_info_has_the_version_of_setup_cfg(tmp_path):
    config = configparser.ConfigParser()
    config.read(ROOT / 'setup.cfg')
    path, _output = build('prepare_metadata_for_build_wheel',
                          tree_of(tmp_path / 'tree', clone=False), tmp_path)
    metadata = importlib.metadata.Distribution.at(path).metadata
    assert (metadata['Name'], metadata['Version']) == ('swift-lb', config['metadata']['version'])


def test_an_environment_has_all_code_profiles_and_samples(installed, tmp_path):
    found = run(installed / 'bin' / 'python', '-B', '-c', FIND, cwd=tmp_path).split()
    assert {name for name in found if '__pycache__' not in name} == shipped('swift_lb', 'etc')
    assert 'usage: swift-lb' in run(installed / 'bin' / 'swift-lb', '--help', cwd=tmp_path)


def test_the_entry_points_of_the_conf_samples_are_installed(installed):
    site = next(installed.glob('lib/python*/site-packages/swift_lb-*.dist-info'))
    points = importlib.metadata.Distribution.at(site).entry_points
    samples = ''.join(path.read_text() for path in (ROOT / 'etc').glob('*.conf-sample'))
    named = set(re.findall(r'egg:swift-lb#(\w+)', samples))
    assert {'proxy', 'lb_dispatcher', 'lb_report'} <= named
    assert named | {'swift-lb', 'swift-lb-agent', 'lb_handicap'} <= {point.name for point in points}
    assert all((ROOT / f'{point.module.replace(".", "/")}.py').exists() or
               (ROOT / point.module.replace('.', '/') / '__init__.py').exists()
               for point in points)


def test_manual_pages_and_completions_are_installed_where_programs_look(installed):
    share = installed / 'share'
    assert {str(path.relative_to(share / 'man')) for path in share.glob('man/*/*')} == {
        str(path.relative_to(ROOT / 'doc' / 'man')) for path in ROOT.glob('doc/man/*/*')}
    assert (share / 'bash-completion' / 'completions' / 'swift-lb').exists()
    assert (share / 'zsh' / 'site-functions' / '_swift-lb').exists()


def test_the_debian_packages_have_each_program_and_the_version_of_setup_cfg():
    config = configparser.ConfigParser()
    config.read(ROOT / 'setup.cfg')
    programs = re.findall('^([a-z-]+) =', config['entry_points']['console_scripts'], re.MULTILINE)
    files = ''.join(path.read_text() for path in (ROOT / 'debian').glob('*.install'))
    assert sorted(programs) == sorted(re.findall('^usr/bin/(.*)', files, re.MULTILINE))
    begin = (ROOT / 'debian' / 'changelog').read_text().partition(' unstable')[0]
    assert begin == f'swift-lb ({config["metadata"]["version"]})'
