"""[filter:lb_dispatcher]: every fault at once, each with what is right."""
import pytest

from swift_lb.config import read_options
from swift_lb.errors import ConfigError
from swift_lb.proxy.dispatch.options import DispatchOptions

WHERE = 'proxy-server.conf, [filter:lb_dispatcher]'


def test_a_section_of_two_lines_is_enough():
    section = {'use': 'egg:swift-lb#lb_dispatcher'}
    assert read_options(DispatchOptions, section, WHERE) == DispatchOptions()


def test_every_option_is_parsed():
    options = read_options(DispatchOptions, {
        'policy': 'tllb', 'band': '0.5', 'connect_timeout': '1', 'weights': '10.0.0.1:8080=4',
        'lb_conf': '/x', 'key': 'k', 'book': 'worker'}, WHERE)
    assert options == DispatchOptions('tllb', '/x', {('10.0.0.1', 8080): 4.0}, 0.5, 1.0, 'worker',
                                      'k')


def test_all_faults_are_reported_at_once():
    with pytest.raises(ConfigError) as error:
        read_options(DispatchOptions, {
            'policy': 'best', 'bnad': '1', 'band': '-1', 'connect_timeout': '0', 'weights': 'x',
            'strange': '1'}, WHERE)
    faults = error.value.faults
    assert len(faults) == 6
    assert all(fault.startswith(WHERE + ', ') for fault in faults)
    assert 'did you mean band?' in faults[1]
    assert 'adaptive' in faults[0]
    assert 'tllb' in faults[0]
