"""`swift-lb check` of an object-server.conf: its verdict is Swift's, and what lb_report does."""
import pytest
from support.proxy_app import swift_dir
from support.swift_verdicts import verdicts

from swift_lb.check.command import examine

CONF = """\
[DEFAULT]
user = root
bind_port = 6200
swift_dir = {swift_dir}
log_level = CRITICAL
[pipeline:main]
pipeline = recon lb_report object-server
[app:object-server]
use = egg:swift#object
[filter:recon]
use = egg:swift#recon
[filter:lb_report]
use = egg:swift-lb#lb_report
"""
STATUS = '\n[filter:lb_status]\nuse = egg:swift-lb#lb_status\n'
CASES = {       # (text, what replaces it): (the faults, the warnings), {} for the path
    ('', ''): ([], []),
    ('lb_report object', 'lb_reprt object'): (
        ['{}, [pipeline:main], lb_reprt: there is no section [filter:lb_reprt]; did you mean '
         'lb_report?'], []),
    ('use = egg:swift-lb#lb_report', 'use = egg:swift-lb#lb_report\ndeclinin = no'): (
        ['{}, [filter:lb_report], declinin = no: unknown option; the only one is declining'], []),
    ('bind_port = 6200', ''): (['{}, bind_port: must be set, to a port from 1 to 65535'], []),
    ('bind_port = 6200', 'servers_per_port = 1'): ([], []),
    ('recon lb_report object-server\n', f'lb_status lb_report object-server\n{STATUS}'): (
        [], ['{}, [filter:lb_status], use = egg:swift-lb#lb_status: it belongs in '
             'proxy-server.conf']),
    ('egg:swift#object', 'egg:swift#objekt'): (
        ['{}, [app:object-server], use = egg:swift#objekt: swift has no such app; did you mean '
         'object?'], []),
}


@pytest.fixture(scope='module')
def checked(tmp_path_factory):
    """Return {case: (path, Verdict, Swift's exit status)} of all CASES."""
    place = tmp_path_factory.mktemp('confs')
    text, paths = CONF.format(swift_dir=swift_dir(place)), {}
    for number, case in enumerate(CASES):
        paths[case] = str(place / f'{number}.conf')
        (place / f'{number}.conf').write_text(text.replace(*case, 1))
    swifts = verdicts(paths.values(), place, 'object-server')
    return {case: (path, examine(path), swifts[path][0]) for case, path in paths.items()}


@pytest.mark.parametrize('case', CASES)
def test_check_and_swift_agree(checked, case):
    path, verdict, status = checked[case]
    faults, warnings = ([each.format(path) for each in sentences] for sentences in CASES[case])
    assert (faults, warnings) == ([*verdict.faults], [*verdict.warnings])
    assert bool(faults) == bool(status)


@pytest.mark.parametrize(('options', 'does'), [
    ('', 'declines reads over the limit that a proxy sends'),
    ('declining = 0\n', 'declines no read (declining = false)')])
def test_the_fact_is_what_the_report_does(tmp_path, options, does):
    path = tmp_path / 'object-server.conf'
    path.write_text(CONF.format(swift_dir=tmp_path) + options)
    assert {'lb_report': f'[filter:lb_report] {does}'} == examine(str(path)).facts


def test_without_a_load_report_swift_lb_is_not_in_force(tmp_path):
    path = tmp_path / 'object-server.conf'
    path.write_text(CONF.format(swift_dir=tmp_path).replace('lb_report ', '', 1))
    verdict = examine(str(path))
    assert ((), {}) == (verdict.faults, verdict.facts)
    assert verdict.absent == (
        f'{path}, [pipeline:main]: swift-lb is not in force, as the pipeline has no lb_report; put '
        'it before object-server, with use = egg:swift-lb#lb_report in [filter:lb_report]')
