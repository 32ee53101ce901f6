"""The metrics of a node: those of built-in sensors, and of plug-ins that an operator installs."""
import pytest

from swift_lb.errors import ConfigError
from swift_lb.plan.options import DEFAULTS
from swift_lb.service.monitor import LoadMonitor
from swift_lb.service.options import AgentOptions, agent_options
from swift_lb.service.sensing import directed, metrics_of
from swift_lb.service.sensors import SENSORS

MODULE = '''
class Queue:
    """A metric of an operator's."""

    direction = 'higher'

    def __init__(self, length='3'):
        self.length = float(length)

    def read(self, now):
        return self.length + now

class Broken:
    def __init__(self):
        raise OSError('no such queue')
'''


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Return a function that installs a distribution with these plug-ins, {name: object}."""
    def install(**points):
        (tmp_path / 'my_metrics.py').write_text(MODULE)
        info = tmp_path / 'my_metrics-1.0.dist-info'
        info.mkdir()
        (info / 'METADATA').write_text('Metadata-Version: 2.1\nName: my-metrics\nVersion: 1.0\n')
        (info / 'entry_points.txt').write_text('[swift_lb.metrics]\n' + ''.join(
            f'{name} = my_metrics:{thing}\n' for name, thing in points.items()))
        monkeypatch.syspath_prepend(tmp_path)
    return install


def chosen(metric='auto', **sections):
    """Return AgentOptions with this option `metric` and {metric: {option: value}}."""
    return agent_options({'metric': metric}, sections)


def nothing():
    """Return None, as without a book of requests."""


def test_without_plug_ins_the_metrics_are_the_built_in_sensors():
    made, dampenings = metrics_of(AgentOptions(), nothing)
    assert set(made) == set(SENSORS) - {'async_pending'}
    assert dampenings == {}


def test_a_sensor_gets_the_options_of_its_metric_section(tmp_path):
    sections = {'async_pending': {'path': f'{tmp_path}/none', 'dampening': '0'}}
    made, dampenings = metrics_of(chosen(**sections), nothing)
    assert made['async_pending'].read(0.0) is None
    assert f'{tmp_path}/none' in made['async_pending'].fault
    assert dampenings == {'async_pending': 0.0}


def test_an_installed_plug_in_is_read_as_a_metric(install):
    install(queue='Queue')
    options = chosen('queue', queue={'length': '7', 'dampening': '0.5'})
    made, dampenings = metrics_of(options, nothing)
    monitor = LoadMonitor(made, dampenings, 0.0, lambda *_fault: None)
    assert monitor.read(1.0)['queue'] == 8.0
    assert monitor.read(3.0)['queue'] == 9.0
    assert directed(options, made).plan.higher == ('queue',)


def test_the_conf_says_if_a_higher_reading_is_less_load(install):
    install(queue='Queue')
    options = chosen(queue={'direction': 'lower'}, cpu={'direction': 'higher'})
    made, _dampenings = metrics_of(options, nothing)
    assert directed(options, made).plan.higher == ('cpu',)
    assert DEFAULTS.higher == ()


def test_all_faults_of_metrics_and_plug_ins_are_reported_at_once(install):
    install(queue='Queue', broken='Broken', absent='Absent', My_Own='Queue')
    options = chosen('speed_of_light', queue={'width': '1'}, no_such={}, disk={'dampening': '0'})
    with pytest.raises(ConfigError) as error:
        metrics_of(options, nothing)
    faults = '\n'.join(error.value.faults)
    for sentence in (
            '[lb-agent:metric:no_such]: there is no such metric; there are cpu, ',
            '[lb-agent], metric = speed_of_light: there is no such metric; there are auto, ',
            'metric queue, a plug-in: TypeError', "'width'",
            'metric broken, a plug-in: OSError: no such queue',
            'metric absent, a plug-in: AttributeError',
            'metric My_Own, a plug-in: must be named by a-z'):
        assert sentence in faults
    assert len(error.value.faults) == 6


def test_more_metrics_than_fit_into_a_report_are_refused(install):
    install(**{f'queue_{number}': 'Queue' for number in range(30)})
    with pytest.raises(ConfigError, match='39 metrics, and a report has room for 19'):
        metrics_of(AgentOptions(), nothing)


def test_a_plug_in_cannot_replace_a_built_in_sensor(install):
    install(cpu='Queue')
    with pytest.raises(ConfigError, match='metric cpu, a plug-in: there is a sensor of that name'):
        metrics_of(chosen(), nothing)
