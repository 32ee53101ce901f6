"""[filter:lb_dispatcher]: every fault at once, each with what is right."""
import pytest

from swift_lb.errors import ConfigError
from swift_lb.proxy.dispatch.options import DispatchOptions, dispatch_options

WHERE = 'proxy-server.conf, [filter:lb_dispatcher]'


def test_two_lines_are_enough():
    assert dispatch_options({'use': 'egg:swift-lb#lb_dispatcher'}, WHERE) == DispatchOptions()


def test_what_is_said_holds():
    found = dispatch_options({'policy': 'tllb', 'band': '0.5', 'connect_timeout': '1',
                              'weights': '10.0.0.1:8080=4', 'lb_conf': '/x', 'key': 'k',
                              'book': 'worker'}, WHERE)
    assert found == DispatchOptions('tllb', '/x', {('10.0.0.1', 8080): 4.0}, 0.5, 1.0, 'worker',
                                    'k')


def test_all_faults_are_told_at_once():
    with pytest.raises(ConfigError) as error:
        dispatch_options({'policy': 'best', 'bnad': '1', 'band': '-1', 'connect_timeout': '0',
                          'weights': 'x', 'strange': '1'}, WHERE)
    said = error.value.faults
    assert len(said) == 6
    assert all(one.startswith(WHERE + ', ') for one in said)
    assert 'did you mean band?' in said[1]
    assert 'adaptive' in said[0]
    assert 'tllb' in said[0]
