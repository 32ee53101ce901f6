"""A real swift-lb-dns: its answers by UDP and TCP, and how it survives faults."""
import contextlib
import json
import os
import pwd
import re
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import dns.flags
import dns.message
import dns.query
import dns.rcode
import pytest
from support.lb_dns import RUN, LbDnsServer, children_of
from support.name_server import wait_until

ZONE = 'lb.example.com'
NAME = f'swift.{ZONE}'
SHARES = {'192.0.2.1': .43, '192.0.2.2': .31, '192.0.2.3': .26}
UNIT = Path(__file__).resolve().parents[2] / 'etc/systemd/swift-lb-dns.service'
MOST_TO_FIRST = {'192.0.2.1': .999, '192.0.2.2': .0005, '192.0.2.3': .0005}
LIMIT = 30.0    # seconds for one answer


@pytest.fixture(scope='module')
def server():
    with LbDnsServer(ZONE, SHARES) as lb_dns:
        yield lb_dns


def asked(server, qtype='A', name=NAME, by=dns.query.udp, **options):
    """Return dnspython's answer of `server` by dns.query.udp or tcp; `options`: make_query's."""
    return by(dns.message.make_query(name, qtype, **options), server.ip, LIMIT, server.port)


def addresses(answer):
    return [record.address for rrset in answer.answer for record in rrset]


def document(server):
    """Return the document of GET /v1/dns, the status of the DNS service."""
    with urllib.request.urlopen(f'http://127.0.0.1:{server.http_port}/v1/dns',
                                timeout=LIMIT) as body:
        return json.load(body)


def wait_for_addresses(server, expected, answers=60):
    """Wait until `answers` answers in a row contain together just the addresses in `expected`."""
    wait_until(lambda: {ip for _n in range(answers) for ip in addresses(asked(server))}
               == set(expected))


@pytest.mark.parametrize('by', [dns.query.udp, dns.query.tcp])
def test_a_query_is_answered_by_udp_and_by_tcp(server, by):
    answer = asked(server, by=by, use_edns=0)
    assert answer.flags & dns.flags.AA
    assert not answer.flags & dns.flags.RA
    assert len(addresses(answer)) == 2
    assert set(addresses(answer)) <= set(SHARES)


def test_queries_on_one_tcp_connection_are_answered_in_order(server):
    queries = [dns.message.make_query(NAME, 'A', id=number) for number in range(100)]
    with socket.create_connection((server.ip, server.port), LIMIT) as connection:
        wires = [query.to_wire() for query in queries]
        connection.sendall(b''.join(len(wire).to_bytes(2, 'big') + wire for wire in wires))
        stream = connection.makefile('rb')
        answers = [dns.message.from_wire(stream.read(int.from_bytes(stream.read(2), 'big')))
                   for _query in queries]
    assert [answer.id for answer in answers] == [query.id for query in queries]


def test_slow_tcp_clients_are_closed_and_others_are_served():
    with LbDnsServer(ZONE, SHARES, 'tcp_timeout = 3\ntcp_clients = 20') as server:
        slow = [socket.create_connection((server.ip, server.port), LIMIT) for _one in range(40)]
        with contextlib.ExitStack() as stack:
            for one in slow:
                stack.enter_context(one)
                with contextlib.suppress(OSError):
                    one.sendall(b'\0')
            assert addresses(asked(server, by=dns.query.tcp))
            for one in slow:
                one.settimeout(LIMIT)
                with contextlib.suppress(ConnectionResetError):
                    assert one.recv(1) == b''


def test_one_client_may_have_a_tenth_of_the_tcp_connections():
    with LbDnsServer(ZONE, SHARES, 'tcp_clients = 20') as server, contextlib.ExitStack() as stack:
        where = server.ip, server.port
        other = stack.enter_context(socket.create_connection(where, LIMIT, ('127.0.0.9', 0)))
        many = [stack.enter_context(socket.create_connection(where, LIMIT)) for _one in range(30)]
        for one in many[:-2]:
            assert one.recv(1) == b''
        wire = dns.message.make_query(NAME, 'A').to_wire()
        for one in (other, *many[-2:]):
            one.sendall(len(wire).to_bytes(2, 'big') + wire)
            assert len(one.recv(512)) > len(wire)


def test_an_answer_that_udp_truncates_is_complete_by_tcp():
    many = {f'192.0.2.{number}': 1 / 90 for number in range(1, 91)}
    with LbDnsServer(ZONE, many, 'mode = all') as server:
        cut = asked(server)
        assert cut.flags & dns.flags.TC
        assert len(cut.to_wire()) <= 512
        assert set(addresses(asked(server, by=dns.query.tcp))) == set(many)
        larger = asked(server, use_edns=0, payload=4096)
        assert len(addresses(cut)) < len(addresses(larger)) < 90


def test_with_a_broken_instruction_file_answers_have_all_proxies():
    with LbDnsServer(ZONE, SHARES, 'mode = single') as server:
        server.instruct(MOST_TO_FIRST)
        wait_for_addresses(server, ['192.0.2.1'], 20)
        path = server.folder / 'instruction.json'
        for text in (path.read_bytes()[:80], b'{"format": 99}', b''):
            path.write_bytes(text)
            wait_for_addresses(server, SHARES)
            server.instruct(MOST_TO_FIRST)
            wait_for_addresses(server, ['192.0.2.1'], 20)


def test_answers_have_all_proxies_once_the_instruction_has_expired():
    with LbDnsServer(ZONE, SHARES, 'mode = single') as server:
        server.instruct({'192.0.2.1': 1.0, '192.0.2.2': 1e-9, '192.0.2.3': 1e-9}, lasts=1.0)
        wait_until(lambda: 'has expired' in (document(server)['without_instruction'] or ''))
        wait_for_addresses(server, SHARES)


def test_a_service_on_ipv6_answers_aaaa_and_gives_nodata_for_a():
    with LbDnsServer(ZONE, {'2001:db8::1': .5, '2001:db8::2': .5}, ip='::1') as server:
        assert len(addresses(asked(server, 'AAAA'))) == 2
        nodata = asked(server, 'A')
        assert nodata.rcode() == dns.rcode.NOERROR
        assert not nodata.answer
        assert nodata.authority


@pytest.mark.parametrize('number', [signal.SIGKILL, signal.SIGSTOP])
def test_a_killed_or_hung_process_of_the_service_is_replaced(number):
    with LbDnsServer(ZONE, SHARES, 'workers = 3') as server:
        wait_until(lambda: len(document(server)['processes']) == 4)     # those of UDP, and TCP
        children = children_of(server.pid)
        assert len(children) == 5
        for child in children:
            os.kill(child, number)
        wait_until(lambda: len(set(children_of(server.pid)) - set(children)) >= len(children))
        for by in (dns.query.udp, dns.query.tcp) * 20:
            assert addresses(asked(server, by=by))


def test_a_busy_tcp_client_does_not_starve_other_clients(server):
    wire = dns.message.make_query(NAME, 'A').to_wire()
    stop = threading.Event()
    with socket.create_connection((server.ip, server.port), LIMIT) as greedy:
        def ask():
            with contextlib.suppress(OSError):
                while not stop.is_set():
                    greedy.sendall((len(wire).to_bytes(2, 'big') + wire) * 500)

        def read():
            with contextlib.suppress(OSError):
                while not stop.is_set():
                    greedy.recv(1 << 20)
        threads = [threading.Thread(target=one, daemon=True) for one in (ask, read)]
        for thread in threads:
            thread.start()
        try:
            for _time in range(10):
                assert addresses(asked(server, by=dns.query.tcp))
        finally:
            stop.set()
            greedy.shutdown(socket.SHUT_RDWR)
            for thread in threads:
                thread.join(LIMIT)


def started(folder, text):
    """Start swift-lb-dns, `text` in its [lb-dns]; return (exit status, standard error)."""
    (folder / 'swift.conf').write_text('[swift-hash]\nswift_hash_path_suffix = dns\n')
    (folder / 'lb-server.conf').write_text(
        f'[DEFAULT]\nswift_dir = {folder}\nuser = {pwd.getpwuid(os.getuid()).pw_name}\n'
        f'log_address = {folder}/nowhere\n[lb-dns]\n' + text)
    done = subprocess.run([sys.executable, '-W', 'ignore', '-c', RUN, folder / 'lb-server.conf'],
                          capture_output=True, text=True, timeout=120)
    return done.returncode, done.stderr


def test_a_start_on_a_port_in_use_fails_and_names_the_port(server, tmp_path):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(('127.0.0.1', 0))
        port = other.getsockname()[1]
        status, errors = started(tmp_path, f'zone = {ZONE}\nns = ns1.{ZONE}=192.0.2.9\n'
                                 'proxies = n1=192.0.2.1\nbind_ip = 127.0.0.1\n'
                                 f'bind_port = {port}\nhttp_port = 1')
    assert status == 1
    assert f'bind_port = {port}' in errors
    assert 'another program has the port' in errors
    assert 'Traceback' not in errors


def statuses(pid):
    """Return [{field: text} of the file `status` in /proc of each thread of a process]."""
    return [dict(line.split(':', 1) for line in path.read_text().splitlines())
            for path in Path(f'/proc/{pid}/task').glob('*/status')]


def lent():
    """Return words that, put before a command, run it as nobody with the systemd unit's
    capabilities.
    """
    names = re.search('^AmbientCapabilities=(.*)$', UNIT.read_text(), re.MULTILINE)[1]
    # This test's files are root's.
    sets = ','.join(f'+{name.removeprefix("cap_")}' for name in
                    (*names.lower().split(), 'dac_read_search'))
    nobody = pwd.getpwnam('nobody')
    return ['setpriv', f'--reuid={nobody.pw_uid}', f'--regid={nobody.pw_gid}', '--clear-groups',
            f'--inh-caps={sets}', f'--ambient-caps={sets}', f'--bounding-set=-all,{sets}']


@pytest.mark.skipif(os.getuid() != 0, reason='only root has port 53, and can lend capabilities')
@pytest.mark.parametrize('before', [list, lent], ids=['root', 'capabilities'])
def test_privileges_are_dropped_after_port_53_is_bound(before):
    with LbDnsServer(ZONE, SHARES, 'user = nobody', ip='127.0.0.53', port=53,
                     before=before()) as server:
        assert addresses(asked(server))
        assert addresses(asked(server, by=dns.query.tcp))
        for one in [*children_of(server.pid), server.pid]:
            for status in statuses(one):
                assert set(status['Uid'].split()) == {str(pwd.getpwnam('nobody').pw_uid)}
                assert {int(status[name], 16) for name in (
                    'CapEff', 'CapPrm', 'CapInh', 'CapAmb')} == {0}
