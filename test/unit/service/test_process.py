"""What the daemons have in common: their user, and the line of their start, which has no key."""
import logging
import os
import pwd
import subprocess
import sys

import pytest
from support.agents import RUN

from swift_lb.errors import ConfigError
from swift_lb.service import daemon, options
from swift_lb.service.dns import daemon as dns_daemon
from swift_lb.service.dns import options as dns_options
from swift_lb.service.image import daemon as image_daemon
from swift_lb.service.image import options as image_options
from swift_lb.service.process import ServiceDaemon, choose_user
from swift_lb.version import version

KEY = 'a key of all the nodes'
AGENT = f'[lb-agent]\nnode = n1\npeers = n2, [2001:db8::2]:7000\nkey = {KEY}\n'
CLUSTER = f'[lb-cluster]\nname = us.ksu\nkey = another {KEY}\n'
DNS = '[lb-dns]\nzone = lb.example.com\nproxies = n1=192.0.2.1\nbind_ip = 192.0.2.1, ::1\n'
PUSHING = DNS + ('mode = rfc2136\nnames = swift.lb.example.com\nupdate_server = 192.0.2.53\n'
                 'update_key_name = lb\nupdate_key = c2l4dGVlbiBieXRlcyBvciBtb3Jl\n')


def of_image(read):
    """Return the facts of a host with two workers, which is called n1 if it has peers."""
    return image_daemon.facts_of(read, 'n1' if read.peers else None, 2)


@pytest.mark.parametrize(('read', 'facts_of', 'text', 'line'), [
    (options.read, daemon.facts_of, AGENT + CLUSTER,
     'node n1, reports by UDP at 0.0.0.0:6208, HTTP at 127.0.0.1:6209, '
     'peers n2:6208 [2001:db8::2]:7000, mode push, rules balanced, cluster us.ksu'),
    (options.read, daemon.facts_of, '[lb-agent]\nnode = n1\nbind_ip = ::\n',
     'node n1, reports by UDP at [::]:6208, HTTP at 127.0.0.1:6209, no peers, mode push, '
     'rules balanced'),
    (dns_options.read, dns_daemon.facts_of, AGENT + DNS + 'ns = ns1.lb.example.com=192.0.2.1\n',
     'node n1, zone lb.example.com, DNS at 192.0.2.1:53 [::1]:53, HTTP at 127.0.0.1:6210, '
     'mode membership'),
    (dns_options.read, dns_daemon.facts_of, AGENT + PUSHING,
     'node n1, zone lb.example.com, updates 192.0.2.53:53, HTTP at 127.0.0.1:6210, mode rfc2136'),
    (image_options.read, of_image, AGENT + '[lb-image]\npeers = n2\n',
     'serves at /var/run/swift/images.sock, workers 2, cache of 1073741824 bytes in '
     '/var/cache/swift-lb, node n1, UDP at 0.0.0.0:6212, peers n2:6212'),
    (image_options.read, of_image, '[lb-image]\ncache = 0\n',
     'serves at /var/run/swift/images.sock, workers 2, no cache, no peers'),
], ids=['agent', 'agent alone', 'dns', 'rfc2136', 'image', 'image alone'])
def test_a_daemon_logs_one_line_at_its_start_without_its_keys(read, facts_of, text, line, conf,
                                                              caplog):
    one = ServiceDaemon.__new__(ServiceDaemon)
    one.logger = logging.getLogger('start')
    caplog.set_level(logging.INFO)
    one._say_start('swift-lb-it', *facts_of(read(conf(text))))
    assert [f'swift-lb-it {version()}: {line}'] == caplog.messages


@pytest.fixture
def users(monkeypatch):
    """Let this host have the users `swift` and `own`; return a function that sets who runs this."""
    uids = {'root': 0, 'swift': 1000, 'own': 4242}
    entries = {key: pwd.struct_passwd((name, 'x', uid, uid, '', '/', ''))
               for name, uid in uids.items() for key in (name, uid)}
    monkeypatch.setattr(pwd, 'getpwuid', entries.__getitem__)
    monkeypatch.setattr(pwd, 'getpwnam', entries.__getitem__)
    return lambda uid: monkeypatch.setattr(os, 'geteuid', lambda: uid)


@pytest.mark.parametrize(('uid', 'given', 'user'), [
    (0, {}, 'swift'), (0, {'user': 'own'}, 'own'), (4242, {}, 'own'),
    (4242, {'user': 'own'}, 'own')])
def test_a_daemon_runs_as_its_user_or_as_who_starts_it(users, uid, given, user):
    users(uid)
    choose_user(given, 'lb-server.conf')
    assert {'user': user} == given


@pytest.mark.parametrize(('uid', 'given', 'sentence'), [
    (0, {'user': 'swft'}, 'user = swft: there is no such user'),
    (4242, {'user': 'swift'}, 'user = swift: only root can become this user'),
    (4243, {}, 'user = swift: only root can become this user')])
def test_a_user_that_a_daemon_can_not_become_is_refused(users, uid, given, sentence):
    users(uid)
    with pytest.raises(ConfigError, match=f'^lb-server.conf, {sentence}$'):
        choose_user(given, 'lb-server.conf')


@pytest.mark.parametrize(('option', 'fault'), [
    ('user = nobody-of-this-name', 'user = nobody-of-this-name: there is no such user'),
    ('http_key = sixteen characters %(nothing)s',
     '[lb-agent], http_key: %(nothing)s is set neither there nor in [DEFAULT]')])
def test_what_swifts_daemon_can_not_use_ends_ours_with_one_sentence(conf, tmp_path, option, fault):
    (tmp_path / 'swift.conf').write_text('[swift-hash]\nswift_hash_path_suffix = user\n')
    path = conf(f'[lb-agent]\n{option}\nswift_dir = {tmp_path}\n')
    run = subprocess.run([sys.executable, '-W', 'ignore', '-c', RUN, path], capture_output=True,
                         text=True, check=False)
    assert (1, f'-c: {path}, {fault}\n') == (run.returncode, run.stderr)
