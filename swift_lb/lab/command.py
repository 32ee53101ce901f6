"""`swift-lb lab up | down | status`: the Lab for people."""
import signal
import sys

from swift_lb.errors import ConfigError, LabError
from swift_lb.lab.lab import Lab
from swift_lb.lab.spec import APPS, LabSpec

COUNTS = ('nodes', 'devices', 'proxies', 'workers', 'replicas', 'part-power', 'port')


def add_arguments(parser):
    """Add the sub-commands of `lab` and their options."""
    verbs = parser.add_subparsers(dest='verb', required=True, metavar='VERB')
    for name, (_function, text, add) in VERBS.items():
        verb = verbs.add_parser(name, help=text, description=text)
        verb.add_argument('--name', default='default', help='which lab (default: %(default)s)')
        add(verb)


def run(args):
    """Do what `args` says; return the exit status."""
    return VERBS[args.verb][0](args)


def _add_up(verb):
    for option in COUNTS:
        value = getattr(LabSpec, option.replace('-', '_'))
        verb.add_argument(f'--{option}', type=int, default=value, metavar='N',
                          help='(default: %(default)s)')
    verb.add_argument('--app', choices=APPS, default=LabSpec.app, help="the proxies' app")
    verb.add_argument('--ec', action='store_true', help='add policy 1, ec21: erasure coding 2+1')
    verb.add_argument('--second-policy', action='store_true', help='add policy 2, silver')
    verb.add_argument('--proxy-option', action='append', default=[], metavar='NAME=VALUE',
                      help='of [app:proxy-server]; policy:1:NAME or DEFAULT:NAME of those sections')
    verb.add_argument('--timeout', type=float, default=LabSpec.timeout, metavar='SECONDS')


def _add_down(verb):
    verb.add_argument('--keep-logs', action='store_true', help='leave the directory log/')


def _up(args):
    options = dict(_pair(text) for text in args.proxy_option)
    counts = {name: getattr(args, name) for name in (one.replace('-', '_') for one in COUNTS)}
    spec = LabSpec(name=args.name, app=args.app, ec=args.ec, second_policy=args.second_policy,
                   proxy_options=options, timeout=args.timeout, **counts)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    lab = Lab.up(spec)
    print(f'lab {spec.name} is up: {lab.storage_url()}')
    return 0


def _interrupt(_number, _frame):
    raise KeyboardInterrupt


def _pair(text):
    name, equals, value = text.partition('=')
    if not equals:
        raise ConfigError([f'--proxy-option {text}: must be NAME=VALUE'])
    return name.strip(), value.strip()


def _down(args):
    try:
        lab = Lab.find(args.name)
    except LabError as err:
        print(err, file=sys.stderr)
        return 0
    ended = lab.down(args.keep_logs)
    print(f'lab {args.name}: ended {len(ended)} processes')
    return 0


def _status(args):
    for process in Lab.find(args.name).processes.values():
        print(process.name, process.pid, process.address, 'up' if process.alive else 'down')
    return 0


VERBS = {
    'up': (_up, 'start a lab', _add_up),
    'down': (_down, 'end a lab and remove it', _add_down),
    'status': (_status, 'show the processes of a lab', lambda verb: None),
}
