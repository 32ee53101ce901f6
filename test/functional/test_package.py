"""The package builds from an unpacked archive, where there is no git, and is whole."""
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOT_SHIPPED = shutil.ignore_patterns('.*', '*.egg-info', '__pycache__', 'build', 'dist')


def test_the_wheel_has_all_code_profiles_and_entry_points(tmp_path):
    tree = tmp_path / 'swift-lb'
    shutil.copytree(ROOT, tree, ignore=NOT_SHIPPED)
    built = subprocess.run(
        # What the build needs is here: an isolated build, as that of the installation was, would
        # download it again.
        [sys.executable, '-m', 'pip', 'wheel', '-q', '--no-deps', '--no-build-isolation',
         '--disable-pip-version-check', '-w', tmp_path, tree],
        capture_output=True, text=True, timeout=600, check=False)
    assert built.returncode == 0, built.stderr
    wheel = zipfile.ZipFile(next(tmp_path.glob('swift_lb-*.whl')))
    shipped = {name for name in wheel.namelist() if name.startswith('swift_lb/')}
    assert {str(path.relative_to(ROOT)) for path in (ROOT / 'swift_lb').rglob('*')
            if path.suffix in {'.py', '.conf', '.html'}} == shipped
    entries = next(name for name in wheel.namelist() if name.endswith('entry_points.txt'))
    text = wheel.read(entries).decode()
    for entry in ('swift-lb = swift_lb.cli:main', 'proxy = swift_lb.proxy.application:app_factory',
                  'lb_status = swift_lb.proxy.status:filter_factory',
                  'lb_report = swift_lb.storage.load_report:filter_factory',
                  'lb_handicap = swift_lb.lab.handicap:filter_factory'):
        assert entry in text
