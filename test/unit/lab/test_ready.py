"""The error of a lab that does not become ready names the process at fault."""
import json
import os

import pytest

from swift_lb.errors import LabError
from swift_lb.lab import conf, ready
from swift_lb.lab.process import Process, start_time


def test_the_error_names_a_proxy_unreachable_for_the_dns_server(monkeypatch, tmp_path):
    proxies = [{'address': '127.64.0.201', 'reachable': True},
               {'address': '127.64.0.202', 'reachable': False}]
    bodies = {'/healthz': '', '/v1/dns': json.dumps({'families': [{'proxies': proxies}]})}

    def answer(_ip, _port, path, _timeout, headers=None):
        known = path == '/healthz' or {'X-Lb-Key': conf.LABS_KEY} == headers
        return (200, {}, bodies[path]) if known else (403, {}, 'not from the loopback interface')

    monkeypatch.setattr(ready, 'http_get', answer)
    process = Process('dns-1', 'dns', os.getpid(), start_time(os.getpid()), [], '127.0.0.1', 1)
    with pytest.raises(LabError, match=r'not ready after 0 s: dns-1 \(has not reached the proxy at '
                                       r'127\.64\.0\.202'):
        ready.wait_ready([process], tmp_path, 0)


def test_container_sync_which_does_not_listen_is_ready_while_it_runs(tmp_path):
    runs = Process('container-sync', 'sync', os.getpid(), start_time(os.getpid()), [])
    ready.wait_ready([runs], tmp_path, 0)
    (tmp_path / 'container-sync.out').write_text('no such ring\n')
    with pytest.raises(LabError, match=r'container-sync ended.*\n.*no such ring'):
        ready.wait_ready([runs._replace(started=-1)], tmp_path, 0)
