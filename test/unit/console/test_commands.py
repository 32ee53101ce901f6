"""`swift-lb top` and `swift-lb why` as they are typed."""
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios

import pytest
from unit.console.status_pages import book, node, order, page, policy

from swift_lb.cli import main


def test_top_once_prints_one_table_of_all_workers(proxy, capsys):
    proxy.says(*(page(node(1, pid), pid=pid, worker=pid) for pid in (1, 2, 3)))
    assert 0 == main(['top', '--url', proxy.url, '--once'])
    out = capsys.readouterr().out
    assert [f'{proxy.url}, 3 workers seen   policy lb_rlt', '10.0.0.1:6200/sda 100.0%'] == [
        out.splitlines()[0], re.sub(' +', ' ', out.splitlines()[3])[:24]]
    assert '\x1b' not in out
    assert not re.search(' $', out, re.MULTILINE)


def test_top_shows_reasons_of_the_selected_storage_policy(proxy, capsys):
    proxy.says(page(node(1, why={'default': 'score 2', '1': 'at random'}),
                    policies={'default': policy(), '1': policy('shuffle')}))
    assert 0 == main(['top', '--url', proxy.url, '--once', '--policy', '1'])
    lines = capsys.readouterr().out.splitlines()
    assert (f'{proxy.url}, 1 worker seen   storage policy 1: shuffle', 'at random') == (
        lines[0], lines[3][-9:])


def test_a_missing_status_page_exits_with_1_and_one_line(proxy, capsys):
    proxy.refuses(404)
    for words in (['top', '--once'], ['top'], ['top', '--json'], ['why', 'a/c/o']):
        assert 1 == main([*words, '--url', proxy.url])
        out, err = capsys.readouterr()
        assert ('', f'swift-lb {words[0]}: {proxy.url} has no status page for us (404): its '
                    'pipeline lacks lb_status, or we are not on its loopback interface and need '
                    'its key (--key-file)\n') == (out, err)


@pytest.mark.parametrize('words', [
    ['--url', 'proxy:8080'], ['--url', 'file:///etc/passwd'], ['--url', 'http://h:8080/v1/a'],
    ['--url', 'http://h:port'], ['--url', 'http://.101:6210'], ['--url', 'http://a..b'],
    ['--url', f'http://{"a" * 64}'], ['--url', 'http://[::1'], ['--url', 'http://'],
    ['--url', 'http://me:pw@h'],
    ['--interval', '0'], ['--interval', '1 day'], ['--interval', 'nan'], ['--policy', 'gold'],
    ['--sort', 'x'], ['--key', 'a', '--key-file', 'b']])
def test_wrong_arguments_of_top_exit_with_status_2(words, capsys):
    with pytest.raises(SystemExit) as left:
        main(['top', *words])
    assert 2 == left.value.code
    assert '\nswift-lb top: error: argument ' in capsys.readouterr().err


def test_the_status_key_is_read_from_the_key_file(proxy, tmp_path, capsys):
    proxy.says(page(object=order()))
    (tmp_path / 'key').write_text('geheim\n')
    main(['why', 'a/c/o', '--url', proxy.url, '--key-file', str(tmp_path / 'key')])
    assert [('/lb/status?object=/a/c/o', 'geheim')] == proxy.requests
    capsys.readouterr()
    assert [1, 1] == [main(['why', 'a/c/o', '--key', 'two\nlines']),
                      main(['why', 'a/c/o', '--key-file', str(tmp_path / 'none')])]
    assert ('swift-lb why: the key must be one line of text\n'
            f'swift-lb why: --key-file {tmp_path}/none: No such file or directory\n'
            ) == capsys.readouterr().err


PLACES = order((1, 'score 9', True, {'errors': 12}),
               (2, 'score 7', False, {'in_flight': 1, 'first_byte_time': 0.0124,
                                      'first_byte_age': 1.0, 'chunks': 5}))


def test_why_prints_replicas_in_order_and_which_is_read_first(proxy, capsys):
    proxy.says(page(object=PLACES, book=book(workers=8)))
    assert 0 == main(['why', '/v1/AUTH_test/photos/cat', '--url', proxy.url])
    assert (f'as the book of 8 workers of {proxy.url} knows the nodes (/dev/shm/1.book)'
            == capsys.readouterr().out.splitlines()[1])
    proxy.says(page(pid=31, worker=2, object=PLACES))
    assert 0 == main(['why', '/v1/AUTH_test/photos/cat', '--url', proxy.url])
    assert [
        '/AUTH_test/photos/cat: storage policy 0, partition 33, policy lb_rlt',
        f'as worker 2 (pid 31) of {proxy.url} knows the nodes; it has a book of its own',
        '   node               in flight  oldest wait  first byte  last chunk  its age  chunks  '
        'errors  timeouts  why',
        '1  10.0.0.1:6200/sda          0            -           -           -        -       0  '
        '    12         0  error-limited, Swift skips it; score 9',
        '2  10.0.0.2:6200/sda          1            -       12 ms           -        -       5  '
        '     0         0  score 7',
        'first: 10.0.0.2:6200/sda because score 7; 1 node before it is skipped as error-limited',
    ] == capsys.readouterr().out.splitlines()


def test_why_json_has_each_replica_and_which_is_read_first(proxy, capsys):
    proxy.says(page(pid=31, worker=2, object=PLACES))
    assert 0 == main(['why', 'AUTH_test/photos/cat', '--url', proxy.url, '--json'])
    document = json.loads(capsys.readouterr().out)
    limited = document.pop('order')[0]
    assert {
        'format': 1, 'url': proxy.url, 'pid': 31, 'worker': 2, 'path': '/AUTH_test/photos/cat',
        'storage_policy': 0, 'partition': 33, 'policy': {'name': 'lb_rlt', 'enabled': True},
        'sentence': 'first: 10.0.0.2:6200/sda because score 7; 1 node before it is skipped as '
                    'error-limited'} == document
    assert ('10.0.0.1:6200/sda', True, 'score 9', 12) == (
        limited['node'], limited['error_limited'], limited['why'], limited['errors'])


def test_why_refuses_a_status_page_without_replica_order(proxy, capsys):
    proxy.says(page())
    assert 1 == main(['why', 'a/c/o', '--url', proxy.url])
    assert (f'swift-lb why: {proxy.url} has a status page without the order of a/c/o\n'
            ) == capsys.readouterr().err


COMMAND = [sys.executable, '-c', 'import sys; from swift_lb.cli import main; sys.exit(main())']


def test_top_prints_tables_until_its_pipe_is_closed(proxy):
    proxy.says(page(node(1, 3)))
    with subprocess.Popen([*COMMAND, 'top', '--url', proxy.url, '--interval', '100ms'],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as top:
        lines = [top.stdout.readline() for _line in range(10)]
        top.stdout.close()
        assert (0, b'') == (top.wait(120), top.stderr.read())
    assert (2, b'\n', False) == (sum(b'10.0.0.1:6200/sda' in line for line in lines), lines[4],
                                 b'\x1b' in b''.join(lines))


@pytest.mark.parametrize(('ending', 'status'), [('q', 0), (signal.SIGINT, 0),
                                                (signal.SIGTERM, 143)])
def test_top_restores_the_terminal_at_q_sigint_and_sigterm(proxy, ending, status):
    proxy.says(page(node(1, 3)))
    ours, its = pty.openpty()
    before = termios.tcgetattr(its)
    with subprocess.Popen([*COMMAND, 'top', '--url', proxy.url], stdin=its, stdout=its, stderr=its,
                          env=os.environ | {'TERM': 'xterm', 'COLUMNS': '100', 'LINES': '20'},
                          start_new_session=True) as top:
        shown = _read(ours, until=b'10.0.0.1:6200/sda')
        assert b'q quits' in shown
        assert before != termios.tcgetattr(its)
        os.write(ours, b'q') if ending == 'q' else top.send_signal(ending)
        left = _read(ours, until=b'\x1b[?1049l')
        assert status == top.wait(120)
    assert shown.count(b'\x1b[?1049h') == left.count(b'\x1b[?1049l') == 1
    assert b'Traceback' not in left
    assert before == termios.tcgetattr(its)
    os.close(ours)
    os.close(its)


def _read(terminal, until):
    result = b''
    while until not in result:
        assert select.select([terminal], [], [], 30)[0], result
        result += os.read(terminal, 65536)
    return result
