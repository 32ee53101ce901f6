"""The version: of the package, of a checkout, and as each command prints it."""
import configparser
import importlib
import sys
from importlib import metadata

import pytest

from swift_lb import version

SETUP = configparser.RawConfigParser()
SETUP.read(version.CHECKOUT / 'setup.cfg')
COMMANDS = [tuple(line.replace(' ', '').split('=')) for line in
            SETUP['entry_points']['console_scripts'].split('\n') if line]


@pytest.mark.parametrize(('program', 'entry'), COMMANDS, ids=[name for name, _ in COMMANDS])
def test_each_command_prints_its_name_and_version(program, entry, monkeypatch, capsys):
    module, _colon, function = entry.partition(':')
    monkeypatch.setattr(sys, 'argv', [program, '--version'])
    with pytest.raises(SystemExit) as ended:
        getattr(importlib.import_module(module), function)()
    assert (ended.value.code or 0, f'{program} {version.version()}\n') == (
        0, capsys.readouterr().out)


@pytest.mark.parametrize(('installed', 'expected'), [
    ('1.2.3', '1.2.3'), (None, SETUP['metadata']['version'] + '+checkout')])
def test_a_checkout_that_is_not_installed_has_the_version_of_setup_cfg(
        installed, expected, monkeypatch):
    def found(name):
        if installed is None:
            raise metadata.PackageNotFoundError(name)
        return installed
    monkeypatch.setattr(metadata, 'version', found)
    assert expected == version.version.__wrapped__()


@pytest.mark.parametrize('text', [None, '', '[metadata]\nname = swift-lb\n'])
def test_a_folder_without_a_version_has_an_unknown_one(text, tmp_path):
    if text is not None:
        (tmp_path / 'setup.cfg').write_text(text)
    assert 'unknown' == version.version_of(tmp_path)
