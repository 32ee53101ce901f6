"""The log sink writes a line for each datagram, into the file of the sending server."""
import datetime
import os
import socket
import subprocess
import sys

from support.cluster import eventually

from swift_lb.lab import log_sink


def test_a_syslog_datagram_becomes_one_line_of_a_log():
    now = datetime.datetime(2026, 1, 2, 3, 4, 5, 678901)
    assert log_sink.line(b'<134>proxy-1: one\ntwo\0', now) == (
        b'03:04:05.678 proxy-1: one#012two\n')


def test_each_servers_log_lines_go_to_its_own_file(tmp_path):
    ip = f'127.63.{os.getpid() // 250 % 250}.{os.getpid() % 250 + 1}'   # no other run's
    sink = subprocess.Popen([sys.executable, '-I', '-S', log_sink.__file__,
                             ip, str(tmp_path), 'a=15140', 'b=15141'])
    try:
        assert eventually((tmp_path / 'b.log').exists)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
            server.sendto(b'<1>hello', (ip, 15141))
        assert eventually((tmp_path / 'b.log').read_bytes)
        assert (tmp_path / 'b.log').read_text().endswith(' hello\n')
        assert (tmp_path / 'a.log').read_text() == ''
    finally:
        sink.terminate()
        sink.wait()
