"""`swift-lb lab up`: what its options make of a LabSpec, without a lab."""
import argparse

import pytest

from swift_lb.errors import ConfigError
from swift_lb.lab import command
from swift_lb.lab.lab import Lab
from swift_lb.lab.spec import LabSpec


def asked(monkeypatch, *words):
    """Return the LabSpec that `lab up WORDS` would start."""
    seen = []
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    monkeypatch.setattr(command.signal, 'signal', lambda *_handler: None)
    monkeypatch.setattr(Lab, 'up', seen.append)
    monkeypatch.setattr(command, '_greeting', lambda _lab: [])
    command.run(parser.parse_args(['up', *words]))
    return seen[0]


def test_proxy_options_and_agent_options_are_kept_apart(monkeypatch):
    spec = asked(monkeypatch, '--agents', '--proxy-option', 'lb_policy=shuffle',
                 '--agent-option', 'metric=requests', '--agent-option', 'reject = 5')
    assert {'lb_policy': 'shuffle'} == spec.proxy_options
    assert {'metric': 'requests', 'reject': '5'} == spec.agent_options


def test_regions_and_their_sites_are_of_the_command_line(monkeypatch):
    assert LabSpec(regions=2) == asked(monkeypatch, '--regions', '2')
    assert LabSpec(regions=2, site='ksu,ucsb', read_affinity=True, sync=True) == asked(
        monkeypatch, '--regions', '2', '--site', 'ksu,ucsb', '--read-affinity', '--sync')


@pytest.mark.parametrize('option', ['--proxy-option', '--agent-option'])
def test_a_proxy_or_agent_option_without_a_value_is_refused(monkeypatch, option):
    with pytest.raises(ConfigError, match=f'{option} metric: must be NAME=VALUE'):
        asked(monkeypatch, '--agents', option, 'metric')
