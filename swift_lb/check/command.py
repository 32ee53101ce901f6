"""`swift-lb check [FILE]`: print what is wrong with confs, and what is in force with them.

Nothing is started. The values of Swift's own options are checked by Swift alone, with
swift-proxy-server FILE --test-config.
"""
import json
import os

from swift_lb.check import lb_server, object_server, proxy_server
from swift_lb.check.conf_kinds import OBJECT, PROXY, SERVER, SWIFT_DIR, conf_paths, kind_of
from swift_lb.check.verdict import Verdict, document, is_good
from swift_lb.errors import ConfigError

EXAMINERS = {PROXY: proxy_server.examine, OBJECT: object_server.examine,
             SERVER: lb_server.examine}


def add_arguments(parser):
    """Add the arguments of `swift-lb check` to an argparse parser."""
    parser.add_argument('file', nargs='?', metavar='FILE', default=SWIFT_DIR,
                        help='a proxy-server.conf, object-server.conf or lb-server.conf, a '
                             "directory of files that are one conf, or Swift's directory, which "
                             f'has a swift.conf: all confs in it (default: {SWIFT_DIR})')
    parser.add_argument('--json', action='store_true', help='for programs')


def run(args):
    """Print the verdicts; return 0 if all confs start and swift-lb is in force, else 1."""
    verdicts = examine_all(args.file)
    good = is_good(verdicts)
    if args.json:
        print(json.dumps(document(verdicts), indent=1))
    else:
        for verdict in verdicts:
            if len(verdicts) > 1:
                print(f'{verdict.path}:')
            print(*verdict.lines(good), sep='\n')
    return 0 if good else 1


def examine_all(path):
    """Return the Verdicts on the confs at `path`, at least one; they have absolute paths."""
    path = os.path.abspath(path)        # as Swift's servers do: it is in the faults of filters
    try:
        return [examine(one) for one in conf_paths(path)]
    except ConfigError as err:
        return [Verdict(path, '', err.faults)]


def examine(path):
    """Return the Verdict on one conf."""
    try:
        return EXAMINERS[kind_of(path)](path)
    except ConfigError as err:
        return Verdict(path, '', err.faults)
