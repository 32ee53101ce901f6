"""What `swift-proxy-server FILE --test-config` says of many confs, in seconds.

The command takes a second to import Swift. This program imports it once, and calls what the command
calls in a fork for each conf: python test/support/swift_verdicts.py proxy-server SWIFT_DIR FILE ...
It reads SWIFT_DIR/swift.conf where the command reads /etc/swift/swift.conf.
"""
import contextlib
import gc
import json
import os
import subprocess
import sys
import tempfile
import traceback


def verdicts(paths, swift_dir, server='proxy-server'):
    """Return {path: (exit status, what Swift printed)} of the confs at `paths`.

    `swift_dir` is the directory that has swift.conf.
    """
    run = subprocess.run([sys.executable, '-W', 'ignore', __file__, server, swift_dir, *paths],
                         check=True, capture_output=True, text=True, timeout=300)
    return dict(zip(paths, map(tuple, json.loads(run.stdout)), strict=True))


def verdict(path, server):
    """Return [exit status, output] of Swift's start of `server`, with --test-config, in a fork."""
    with tempfile.TemporaryFile() as output:
        pid = os.fork()
        if pid == 0:
            for descriptor in (1, 2):
                os.dup2(output.fileno(), descriptor)
            os._exit(start(path, server))
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        output.seek(0)
        return [status, output.read().decode(errors='replace')]


def start(path, server):
    """Return the exit status of Swift's command, which prints its faults or a traceback."""
    from swift.common.wsgi import run_wsgi
    try:
        status = run_wsgi(path, server, verbose=False, test_config=True)
    except SystemExit as err:
        status = 1 if err.code else 0
    except Exception:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return status


def main():
    """Print the verdicts on the confs of the command line as a JSON list."""
    from swift.common.utils import monkey_patch, set_swift_dir
    _program, server, swift_dir, *paths = sys.argv
    set_swift_dir(swift_dir)        # before the storage policies are read, by the next import
    from swift.common.wsgi import loadcontext, loadwsgi

    from swift_lb.chains.registry import chains
    # What takes long is done once, before the forks: imports of NumPy, the app and the filters, and
    # eventlet's patches.
    chains()
    with contextlib.suppress(Exception):
        loadcontext(loadwsgi.APP, paths[0])
    monkey_patch()
    gc.freeze()
    print(json.dumps([verdict(path, server) for path in paths]))


if __name__ == '__main__':
    main()
