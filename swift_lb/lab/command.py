"""The command `swift-lb lab up | down | status | set | env`."""
import json
import signal

from swift_lb.errors import ConfigError
from swift_lb.lab import change, conf, place, profile, status, sync
from swift_lb.lab.lab import Lab
from swift_lb.lab.spec import APPS, LIMITS, LabSpec
from swift_lb.lab.wan import command as wan

SET_WORDS = '''\
words:
  node=1 [device=sd0] slots=2 mean=80ms dist=exponential|constant|lognormal
  node=1 [device=sd0] hang | fail=10% status=507 | slow_stream=1MiB | cut=64KiB
  node=1 [device=sd0] clear       nothing is set there any more; without node, nowhere
  proxy=1 slots=4 mean=80ms ...   a proxy; of a lab that is up with --handicap-proxies
  ... methods=GET,HEAD            only these methods; the default is all
  ... mean=off                    take one word away
  profile=paper                   all nodes at once; also a file
  seed=7                          of the service times'''


def add_arguments(parser):
    """Add the sub-commands of `swift-lb lab` and their options to the argparse `parser`."""
    verbs = parser.add_subparsers(dest='verb', required=True, metavar='VERB')
    for name, (_function, text, add) in VERBS.items():
        verb = verbs.add_parser(name, help=text, description=text)
        if name != 'wan':
            verb.add_argument('--name', default=LabSpec.name,
                              help='which lab (default: %(default)s)')
        add(verb)


def run(args):
    """Execute the sub-command of `swift-lb lab` that argparse found; return the exit status."""
    return VERBS[args.verb][0](args)


def _add_up(verb):
    for field, (_least, _most, what) in LIMITS.items():
        verb.add_argument('--' + field.replace('_', '-'), type=int, metavar='N',
                          default=getattr(LabSpec, field), help=f'{what} (default: %(default)s)')
    verb.add_argument('--profile', metavar='NAME|FILE',
                      help=f'handicaps to begin with: {", ".join(profile.names())}, or a file')
    verb.add_argument('--site', metavar='SITE[,SITE]',
                      help='a site of `lab wan`, in whose network all servers run; with --regions '
                           'the site of each (default: all sites)')
    verb.add_argument('--read-affinity', action='store_true',
                      help='proxies read in their own region first')
    verb.add_argument('--sync', action='store_true',
                      help='container-sync between labs in sites: X-Container-Sync-To '
                           f'//{sync.REALM}/SITE/ACCOUNT/CONTAINER')
    verb.add_argument('--app', choices=APPS, default=LabSpec.app,
                      help="the proxies' app (default: %(default)s)")
    verb.add_argument('--ec', action='store_true', help='add policy 1, ec21: erasure coding 2+1')
    verb.add_argument('--second-policy', action='store_true', help='add policy 2, silver')
    verb.add_argument('--no-reports', dest='reports', action='store_false',
                      help='storage nodes without the filter lb_report')
    verb.add_argument('--agents', action='store_true', help='a node agent beside each proxy')
    verb.add_argument('--dns', action='store_true',
                      help='a node agent and a DNS service beside each proxy')
    verb.add_argument('--dispatch', action='store_true',
                      help='a node agent beside each proxy, and in it the filter lb_dispatcher')
    verb.add_argument('--images', action='store_true',
                      help='a decoder of images beside each proxy, and in it the filter lb_image')
    verb.add_argument('--image-option', action='append', default=[], metavar='NAME=VALUE',
                      help='of [lb-image], of all decoders')
    verb.add_argument('--handicap-proxies', action='store_true',
                      help='proxies can be made slow, too: set proxy=1 slots=4 mean=80ms')
    verb.add_argument('--proxy-option', action='append', default=[], metavar='NAME=VALUE',
                      help='of [app:proxy-server]; policy:1:NAME, filter:FILTER:NAME or '
                           'DEFAULT:NAME: of that section')
    verb.add_argument('--agent-option', action='append', default=[], metavar='NAME=VALUE',
                      help='of [lb-agent], of all agents')
    verb.add_argument('--log-level', default=LabSpec.log_level, metavar='LEVEL',
                      help="Swift's (default: %(default)s, a line for each request)")
    verb.add_argument('--timeout', type=float, default=LabSpec.timeout, metavar='SECONDS',
                      help='until all servers must answer (default: %(default)s)')


def _add_set(verb):
    wan.add_words(verb, SET_WORDS)


def _up(args):
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    fields = {name: value for name, value in vars(args).items()
              if name in LabSpec.__dataclass_fields__}
    lab = Lab.up(LabSpec(**fields, proxy_options=_options('--proxy-option', args.proxy_option),
                         agent_options=_options('--agent-option', args.agent_option),
                         image_options=_options('--image-option', args.image_option)))
    for line in _greeting(lab):
        print(line)
    return 0


def _interrupt(_number, _frame):
    raise KeyboardInterrupt


def _options(option, pairs):
    split = {pair: pair.partition('=') for pair in pairs}
    if faults := [f'{option} {pair}: must be NAME=VALUE'
                  for pair, (_name, equals, _value) in split.items() if not equals]:
        raise ConfigError(faults)
    return {name.strip(): value.strip() for name, _equals, value in split.values()}


def _greeting(lab):
    yield f'lab {lab.spec.name} is up: {lab.storage_url()}'
    if lab.spec.regions > 1:
        yield 'its regions: ' + ', '.join(
            f'{site} by {lab.endpoints[number * lab.spec.proxies]}'
            for number, site in enumerate(lab.spec.sites))
    if lab.spec.profile:
        limits = lab.nodes.capacity()
        yield (f'profile {lab.spec.profile}: ' + ', '.join(
            f'node {node} {limit:.1f}/s' for node, limit in limits.items())
            + f', together {sum(limits.values()):.1f} requests/s')
    if lab.agents:
        yield f'its agents show a page: {", ".join(lab.agents)}'
    if lab.name_servers:
        yield 'its DNS answers: ' + '; '.join(
            f'dig @{ip} -p {port} {conf.NAME}' for ip, port in lab.name_servers)
    if not lab.memcached:
        yield ('no memcached on PATH: no tempauth, so no token is needed; and every request '
               'reads account and container again')
    if not place.in_memory():
        yield (f'{lab.directory} is not in memory: on ext4, metadata of more than 4 KiB (many '
               'or large headers) fails')
    if not place.runs_programs(lab.directory):
        yield f'{lab.directory} is mounted noexec: a proxy cannot be reloaded by SIGUSR1'


def _down(args):
    if args.name not in place.names():
        print(f'nothing to do: there is no lab {args.name!r}')
        return 0
    lab = Lab.find(args.name)
    ended = lab.down(args.keep_logs)
    kept = f'; its logs are in {lab.directory}/log' if args.keep_logs else ''
    print(f'lab {args.name} is down: {len(ended)} processes ended{kept}')
    return 0


def _status(args):
    document = status.gather(Lab.find(args.name))
    if args.json:
        print(json.dumps(document, indent=1))
    else:
        status.show(document)
    return 0


def _set(args):
    Lab.find(args.name).handicap(**change.parse_words(args.words))
    return 0


def _env(args):
    lab = Lab.find(args.name)
    # python-swiftclient needs a token even where the lab does not check it.
    print(f'OS_STORAGE_URL={lab.storage_url()} OS_AUTH_TOKEN={lab.token() or "none"}')
    return 0


VERBS = {
    'up': (_up, 'start a lab', _add_up),
    'down': (_down, 'end a lab and remove it', lambda verb: verb.add_argument(
        '--keep-logs', action='store_true', help='leave the directory log/')),
    'status': (_status, 'show the processes and the handicaps of a lab', lambda verb: (
        verb.add_argument('--json', action='store_true', help='for programs'))),
    'env': (_env, 'print what python-swiftclient must know: env $(swift-lb lab env) swift stat',
            lambda verb: None),
    'set': (_set, 'make nodes, devices and proxies of a lab slow, or break them', _add_set),
    'wan': (wan.run, 'sites, each with a lab, and slow links between them', wan.add_arguments),
}
