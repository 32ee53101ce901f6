"""A dispatcher's identity: node name, keys and instruction file, read from the agent's conf."""
import pytest

from swift_lb.errors import ConfigError
from swift_lb.proxy.dispatch.identity import (
    CHECK_INTERVAL,
    UNKNOWN_IDENTITY,
    Identity,
    IdentityFile,
    read,
)

KEY = 'a key of 16 or more'


def test_the_identity_is_read_from_the_section_lb_agent(tmp_path):
    conf = tmp_path / 'lb-server.conf'
    conf.write_text(f'[lb-agent]\nnode = n1\nkey = {KEY}\nkey2 = old {KEY}\n'
                    'instruction_file = /run/i.json\n[lb-dns]\nzone = x\n')
    assert read(conf) == Identity('n1', (KEY.encode(), f'old {KEY}'.encode()), '/run/i.json')


def test_options_missing_in_lb_agent_are_taken_from_default(tmp_path):
    conf = tmp_path / 'lb-server.conf'
    conf.write_text(f'[DEFAULT]\nnode = n0\nkey = {KEY}\n[lb-agent]\nnode = n1\n')
    assert read(conf)[:2] == ('n1', (KEY.encode(),))


def test_the_identity_has_the_hosts_to_which_clients_may_be_redirected(tmp_path):
    conf = tmp_path / 'lb-server.conf'
    text = f'[lb-agent]\nnode = n1\nkey = {KEY}\n[lb-cluster]\nname = us\nkey = {KEY}2\n'
    conf.write_text(text)
    assert read(conf).cluster.trust == ()
    conf.write_text(text + 'trust = ksu.example, *.ucsb.example\n')
    assert read(conf).cluster.trust == ('ksu.example', '*.ucsb.example')
    conf.write_text(text + 'trust = *\n')
    with pytest.raises(ConfigError, match=r'trust = \*: .* must be the name of a host'):
        read(conf)


@pytest.mark.parametrize(('text', 'message'), [
    ('', 'there is no section'), ('[lb-agent]\nnode = n1\n', 'key: must be set'),
    ('key = x', 'must be')])
def test_a_conf_without_section_or_key_raises_a_config_error(tmp_path, text, message):
    conf = tmp_path / 'lb-server.conf'
    conf.write_text(text)
    with pytest.raises(ConfigError, match=message):
        read(conf)


def test_a_changed_conf_replaces_the_identity_unless_faulty(tmp_path):
    conf, now = tmp_path / 'lb-server.conf', [0.0]
    file = IdentityFile(str(conf), lambda: now[0])
    assert file.current() == UNKNOWN_IDENTITY
    assert 'No such file' in file.fault
    for text, node, fault in [(f'[lb-agent]\nnode = n1\nkey = {KEY}\n', 'n1', False),
                              (f'[lb-agent]\nnode = n22\nkey = {KEY}\n', 'n22', False),
                              ('[lb-agent]\nnode = n333\n', 'n22', True)]:
        conf.write_text(text)
        now[0] += CHECK_INTERVAL
        assert file.current().node == node
        assert bool(file.fault) == fault


@pytest.mark.parametrize(('agent', 'cluster', 'address'), [
    ('', '', ('127.0.0.1', 6211)), ('bind_ip = 10.0.0.1', '', ('10.0.0.1', 6211)),
    ('bind_ip = 10.0.0.1', 'bind_ip = ::\nbind_port = 7', ('::1', 7)),
    ('', 'bind_ip = 0.0.0.0\nbind_port = x', ('127.0.0.1', 6211))])
def test_observations_go_to_the_address_at_which_the_agent_receives_summaries(
        tmp_path, agent, cluster, address):
    conf = tmp_path / 'lb-server.conf'
    conf.write_text(f'[lb-agent]\nkey = {KEY}\n{agent}\n'
                    f'[lb-cluster]\nname = ksu\nkey = clusters {KEY}\n{cluster}\n')
    assert address == read(conf).cluster.agent
