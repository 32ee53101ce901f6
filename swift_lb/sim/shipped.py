"""The included scenarios, by name, and scenario files, by path."""
import importlib.resources
import pathlib

from swift_lb.errors import ConfigError
from swift_lb.sim.scenario_file import meant, parse


def names():
    """Return the sorted names of the included scenarios."""
    return sorted(path.name.removesuffix('.conf') for path in _shipped().iterdir()
                  if path.name.endswith('.conf'))


def load(name):
    """Return the included Scenario `name`, or that of the file at the path `name`.

    Raises ConfigError, which lists every fault.
    """
    return parse(text_of(name), pathlib.Path(name).name.removesuffix('.conf'))


def text_of(name):
    """Return the text of the included scenario or the file `name`; raises ConfigError if absent."""
    if name in names():
        return (_shipped() / f'{name}.conf').read_text('utf-8')
    try:
        return pathlib.Path(name).read_text('utf-8')
    except (OSError, ValueError):
        hint = meant(name, names(), f'the scenarios are {", ".join(names())}')
        raise ConfigError([f'{name}: is neither a scenario nor a file that can be read; {hint}'
                           ]) from None


def _shipped():
    return importlib.resources.files('swift_lb.sim') / 'scenarios'
