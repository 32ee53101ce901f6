"""The dispatcher's place in the pipeline, as `swift-lb check` and the proxy itself check it."""
import pytest
from support.client_env import env_of
from support.dispatching_proxy import DispatchingProxy
from support.proxy_app import swift_dir
from swift.common.wsgi import ConfigFileError, loadapp

from swift_lb.check.command import examine
from swift_lb.lab.conf import PROXY_PIPELINE
from swift_lb.proxy.dispatch.place import LEFT, ONCE, faults, image_faults, misplaced

RIGHT = 'catch_errors gatekeeper healthcheck lb_status proxy-logging lb_dispatcher '
REST = 'cache tempauth copy slo dlo proxy-logging proxy-server'


def faults_of(text):
    """Return the faults of the pipeline `text`: filter names, which are also entry points."""
    return faults([(name, name.replace('-', '_')) for name in text.split()], 'x')


@pytest.mark.parametrize('pipeline', [
    RIGHT + REST, PROXY_PIPELINE, 'cache proxy-server', 'lb_dispatcher proxy-server',
    'proxy-logging lb_dispatcher tempauth proxy-server',    # Swift itself adds what it needs
])
def test_a_pipeline_with_the_dispatcher_in_place_has_no_fault(pipeline):
    assert [] == faults_of(pipeline)


@pytest.mark.parametrize('name', ['catch_errors', 'gatekeeper', 'healthcheck'])
def test_a_filter_that_must_be_left_of_the_dispatcher_is_checked(name):
    wrong = RIGHT.replace(f'{name} ', '') + f'{name} ' + REST
    assert [f'x: lb_dispatcher must be right of {name}: {LEFT[name]}'] == faults_of(wrong)


def test_the_first_proxy_logging_must_be_left_of_the_dispatcher():
    right_of = f'x: lb_dispatcher must be right of proxy-logging: {LEFT["proxy_logging"]}'
    assert [right_of] == faults_of(RIGHT.replace('proxy-logging ', '') + REST)
    assert [f'x: lb_dispatcher must be left of proxy-logging: {ONCE}'] == faults_of(
        RIGHT.replace('proxy-logging ', 'proxy-logging proxy-logging ') + REST)


def test_all_misplaced_filters_are_reported_together():
    assert [f'x: lb_dispatcher must be right of gatekeeper: {LEFT["gatekeeper"]}',
            f'x: lb_dispatcher must be left of cache: {ONCE}',
            f'x: lb_dispatcher must be left of tempauth: {ONCE}'] == faults_of(
        'catch_errors healthcheck cache proxy-logging tempauth lb_dispatcher gatekeeper copy '
        'proxy-logging proxy-server')


@pytest.mark.parametrize(('pipeline', 'sentences'), [
    (PROXY_PIPELINE, []), ('tempauth copy proxy-server', []),
    ('lb_image tempauth copy slo proxy-server',
     ['x: lb_image must be right of tempauth, whose authorisation it uses']),
    ('authtoken keystoneauth slo dlo lb_image proxy-server',
     [f'x: lb_image must be left of {name}: it reads the whole image, not its manifest'
      for name in ('slo', 'dlo')])])
def test_the_place_of_the_filter_of_images_is_checked(pipeline, sentences):
    assert sentences == image_faults(
        [(name, name.replace('-', '_')) for name in pipeline.split()], 'x')


APP = '[app:proxy-server]', 'use = egg:swift-lb#proxy'
ADDED = 'listing_formats', 'copy', 'dlo', 'versioned_writes'      # by Swift, too far left


@pytest.fixture
def conf(tmp_path):
    """Return a function of a pipeline and lines that writes a conf and returns its path (str)."""
    rings = swift_dir(tmp_path)
    (tmp_path / 'lb.conf').write_text('[lb-agent]\nkey = 16 characters or more\n')

    def write(pipeline, *lines, lb_conf=tmp_path / 'lb.conf', app=APP):
        path = tmp_path / 'proxy-server.conf'
        path.write_text('\n'.join((
            f'[DEFAULT]\nbind_port = 8080\nuser = root\nswift_dir = {rings}',
            '[pipeline:main]',
            f'pipeline = {pipeline.removesuffix("proxy-server")}{" ".join(ADDED)} proxy-server',
            *(f'[filter:{name}]\nuse = egg:swift#{name}' for name in ADDED),
            '[filter:memory]\nuse = egg:swift#memcache',
            '[filter:proxy-logging]\nuse = egg:swift#proxy_logging', *app,
            '[filter:hand-on]\nuse = egg:swift-lb#lb_dispatcher', f'lb_conf = {lb_conf}', *lines,
            '')))
        return str(path)
    return write


@pytest.mark.parametrize('lines', [('set log_name = lb', 'policy = tllb'),
                                   ('[DEFAULT]', 'require_proxy_protocol = no')])
def test_check_finds_no_fault_in_a_good_conf(conf, lines):
    path = conf('proxy-logging hand-on memory proxy-server', *lines)
    verdict = examine(path)
    assert ((), True, ()) == (verdict.faults, bool(verdict.facts), verdict.warnings)


def refused(path):
    """Return the faults of the conf at `path`, which a start refuses in the same words."""
    with pytest.raises(ConfigFileError) as error:
        loadapp(path, global_conf={'log_level': 'CRITICAL'})
    faults = examine(path).faults
    assert faults == tuple(str(error.value).splitlines())
    return [*faults]


def test_filters_are_recognised_by_their_entry_points(conf):
    path = conf('memory hand-on proxy-server')
    assert [f'{path}, [pipeline:main]: hand-on must be left of memory: {ONCE}'] == refused(path)


def test_a_filter_of_another_package_may_be_left_of_the_dispatcher(conf):
    path = conf('own hand-on proxy-server', '[filter:own]',
                'paste.filter_factory = support.own_filter:filter_factory')
    loadapp(path, global_conf={'log_level': 'CRITICAL'})
    verdict = examine(path)
    assert ((), (f'{path}, [pipeline:main]: own, which is not of Swift, is left of hand-on: '
                 f'{ONCE}',)) == (verdict.faults, verdict.warnings)


def test_a_misplaced_filter_of_images_is_refused(conf):
    path = conf('pictures auth proxy-server', '[filter:pictures]', 'use = egg:swift-lb#lb_image',
                '[filter:auth]', 'use = egg:swift#tempauth')
    assert [f'{path}, [pipeline:main]: pictures must be right of auth, whose authorisation it uses'
            ] == refused(path)


CERT = ('{}, cert_file: does not go with lb_dispatcher: proxies ask each other by HTTP without '
        'TLS; end TLS in front of them')
LINE = ('{}, require_proxy_protocol: does not go with lb_dispatcher: proxies ask each other '
        'without a PROXY line; end the PROXY protocol in front of them')


@pytest.mark.parametrize('section', ['DEFAULT', 'app:proxy-server'])
def test_check_refuses_a_server_with_tls_or_proxy_protocol(conf, section):
    lines = 'cert_file = /etc/c.pem', 'require_proxy_protocol = yes'
    app = (*APP, *(['[DEFAULT]'] if section == 'DEFAULT' else []), *lines)
    path = conf('hand-on proxy-server', app=app)
    assert [CERT.format(path), LINE.format(path)] == refused(path)
    assert () == examine(conf('proxy-server', app=app)).faults


def test_check_and_proxy_start_report_all_faults_at_once(conf):
    path = conf('hand-on proxy-server', 'polcy = tllb', 'band = -1', '[DEFAULT]',
                'cert_file = /etc/c.pem', 'require_proxy_protocol = 1')
    server, options = [CERT.format(path), LINE.format(path)], [
        'polcy: unknown option; did you mean policy?', 'band = -1: must be a number, at least 0']
    assert [*server, *(f'{path}, [filter:hand-on], {each}' for each in options)] == refused(path)


@pytest.mark.parametrize(('text', 'why'), [
    (None, '{}: No such file or directory'),
    ('[lb-agent]\nnode = a\n', '{}, [lb-agent], key: must be set, the same on all nodes: a proxy '
                               'takes requests from peers that have it'),
    ('[lb-dns]\n', '{}: there is no section [lb-agent]')])
def test_check_warns_if_lb_conf_has_no_agent_section_or_key(conf, tmp_path, text, why):
    lb_conf = tmp_path / 'other.conf'
    if text is not None:
        lb_conf.write_text(text)
    path = conf('hand-on proxy-server', lb_conf=lb_conf)
    verdict = examine(path)
    assert ((), (f'{path}, [filter:hand-on], lb_conf: {why.format(lb_conf)}; every request would '
                 'be served here',)) == (verdict.faults, verdict.warnings)
    assert () == examine(conf('proxy-server', lb_conf=lb_conf)).warnings


def test_a_request_environment_reveals_a_misplaced_dispatcher():
    env = env_of()
    assert misplaced(env) is None
    assert 'left of what authenticates' in misplaced(env | {'swift.authorize': None})
    del env['swift.trans_id']
    assert 'right of catch_errors' in misplaced(env)


@pytest.mark.parametrize('first', [True, False])
def test_a_misplaced_dispatcher_is_logged_at_the_first_request(tmp_path, first):
    proxy = DispatchingProxy(tmp_path)
    env = env_of() | {'swift.authorize': None}
    for one in (env, env) if first else (env_of(), env):
        proxy.ask(one)
    assert [f'swift-lb: {misplaced(env)}'] * first == proxy.log.said
