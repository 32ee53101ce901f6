"""The command line of `swift-lb bench evaluate`, and the Plan that it describes.

The help is printed without the packages of the extra `bench`, which only a run needs.
"""
import argparse
import math
import os
import re
from dataclasses import replace

from swift_lb.drawing.text import listed
from swift_lb.errors import ConfigError
from swift_lb.evaluation import targets
from swift_lb.evaluation.plan import ClusterPlace, LabPlace, Plan
from swift_lb.lab import profile, rules
from swift_lb.lab.spec import LIMITS, LabSpec
from swift_lb.policy import POLICIES

KEY = 'ST_KEY'      # an environment variable of python-swiftclient, too
OUTPUT = 'evaluation'
REPLICAS = 3
SIZE = re.compile(r'[1-9][0-9]{0,5}(B|KB|MB)$')
LABEL = re.compile(r'[A-Za-z0-9._ -]{1,40}$')
FULL = {
    'policies': ','.join([*targets.PAPER, 'lb_rlt@read',
                          *(f'swift:{name}' for name in targets.SWIFT)]),
    'workers': '1,2,4,8,16,32,64,128,256,512,700', 'sizes': '4KB,16KB', 'proxy_workers': '2,1,8',
    'repeats': '3', 'seconds': '10', 'ramp_up': '2', 'read': '80', 'objects': '100',
}
QUICK = FULL | {
    'policies': 'swift:shuffle,swift:timing,last_throughput,lb_rlt', 'workers': '1,32',
    'sizes': '4KB', 'proxy_workers': '2', 'repeats': '2', 'seconds': '5', 'ramp_up': '1',
}
LAB = {'profile': 'paper', 'nodes': '3', 'devices': '1', 'proxies': '1', 'name': 'evaluate',
       'port': '8080'}
ONLY_LAB = ('policies', 'proxy_workers', *LAB)
CLUSTER = {'replicas': f'{REPLICAS}'}
ONLY_CLUSTER = ('user', 'key', 'project', 'label', *CLUSTER)
BOUNDS = {   # option: (minimum, maximum)
    'workers': (1, 10000), 'proxy_workers': LIMITS['workers'][:2], 'repeats': (1, 100),
    'seconds': (1, 3600), 'ramp_up': (1, 600), 'read': (1, 100), 'objects': (1, 100000),
    'nodes': LIMITS['nodes'][:2], 'devices': LIMITS['devices'][:2],
    'proxies': LIMITS['proxies'][:2], 'port': LIMITS['port'][:2],
    'replicas': LIMITS['replicas'][:2],
}
HELP = {
    'policies': f'labels: {", ".join(POLICIES)}, each also as NAME@read (lb_chunk_clock = read) '
                'and NAME@host (lb_book = host), '
                f'and Swift\'s own {", ".join(f"swift:{name}" for name in targets.SWIFT)}',
    'workers': 'COSBench workers', 'sizes': 'of the objects, such as 4KB',
    'proxy_workers': 'worker processes of each proxy; all is measured with the first number, '
                     'herding with the others too',
    'repeats': 'of every run', 'seconds': 'measured in each run, at least',
    'ramp_up': 'seconds before that, at least', 'read': 'per cent; the rest are writes',
    'objects': 'that are read',
    'profile': f'the nodes\' handicaps: {", ".join(profile.names())}, or a file',
    'nodes': 'storage nodes', 'devices': 'of each', 'proxies': '', 'name': 'of the lab',
    'port': 'of the first proxy', 'replicas': 'of every object, which a write goes to',
}


def add_arguments(parser):
    """Add the command's options to the argparse `parser`, all without their defaults.

    plan_of() adds the defaults, because those of --quick are different.
    """
    parser.add_argument('--output', metavar='DIR',
                        help=f'runs and report (default: {OUTPUT}); an evaluation that was '
                             'interrupted goes on there')
    parser.add_argument('--quick', action='store_true',
                        help='fewer and shorter runs, at most 5 minutes in all')
    parser.add_argument('--fresh', action='store_true', help='forget what is in --output')
    parser.add_argument('--report-only', metavar='DIR', help='draw again what is in DIR; no '
                        'other option goes with it')
    _add(parser, FULL | LAB)
    given = parser.add_argument_group('a cluster instead of a lab, measured as it is')
    given.add_argument('--auth', metavar='URL', help='of tempauth, swauth or Keystone')
    given.add_argument('--user')
    given.add_argument('--key', help=f'others on this machine can see it; better in ${KEY}')
    given.add_argument('--project', help='with Keystone')
    given.add_argument('--endpoint', action='append', default=[], metavar='URL',
                       help='storage URL, as often as needed: workers take them in turn')
    given.add_argument('--label', help='what the report calls it')
    _add(given, CLUSTER)


def run(args):
    """Run the evaluation, as command.run does; return the exit status."""
    from swift_lb.evaluation import command  # packages that only the extra installs
    return command.run(args)


def _add(parser, defaults):
    for name, value in defaults.items():
        parser.add_argument(flag(name), metavar=_metavar(name),
                            help=f'{HELP[name]} (default: {value})'.strip().replace('%', '%%'))


def _metavar(name):
    lists = ('policies', 'workers', 'sizes', 'proxy_workers')
    return 'LIST' if name in lists else 'N' if name in BOUNDS else 'NAME'


def check_alone(args):
    """Raise ConfigError if --report-only is combined with other options."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    given = [flag(name) for name, default in vars(parser.parse_args([])).items()
             if getattr(args, name) != default and name != 'report_only']
    if given:
        raise ConfigError([f'--report-only {args.report_only}: draws what is there and measures '
                           f'nothing, so leave out {listed(given)}'])


def plan_of(args):
    """Return the Plan that the options `args` describe; raises ConfigError with all faults."""
    words = Words(args, QUICK if args.quick else FULL)
    on_cluster = bool(args.auth or args.endpoint)
    faults = words.faults
    if on_cluster:
        faults += _cluster_faults(args)
        place = ClusterPlace(args.label or 'cluster', args.auth, args.user, tuple(args.endpoint),
                             replicas=words.replicas)
    else:
        faults += [f'--{name}: is of a cluster; say --auth or --endpoint too'
                   for name in ONLY_CLUSTER if getattr(args, name)]
        faults += targets.faults_of(words.policies)
        place = _lab(words, args, faults)
    if faults:
        raise ConfigError(faults)
    return Plan(place, *((place.label,), words.workers, words.sizes, (1,)) if on_cluster else
                (words.policies, words.workers, words.sizes, words.proxy_workers),
                words.repeats, words.seconds, words.ramp_up, words.read, words.objects)


class Words:
    """The options of the command line, converted from text to numbers and tuples.

    `faults` has a sentence for each invalid option.
    """

    def __init__(self, args, defaults):
        """Take argparse's `args`, and `defaults`, {option: text}, for options that are absent."""
        self.faults, self._args, self._defaults = [], args, defaults | LAB | CLUSTER
        self.policies = self._list('policies')
        self.sizes = self._sizes()
        self.workers = self._numbers('workers')
        self.proxy_workers = self._numbers('proxy_workers')
        for name in ('repeats', 'seconds', 'ramp_up', 'read', 'objects', 'nodes', 'devices',
                     'proxies', 'port', 'replicas'):
            setattr(self, name, self._number(name, self.text(name)))
        self.name, self.profile = self.text('name'), self.text('profile')

    def text(self, name):
        """Return the text of the option `name` as typed, or else its default."""
        given = getattr(self._args, name)
        return self._defaults[name] if given is None else given

    def _list(self, name):
        words = tuple(filter(None, (word.strip() for word in self.text(name).split(','))))
        if not words:
            self.faults.append(f'{flag(name)}: is empty')
        return words

    def _numbers(self, name):
        numbers = tuple(self._number(name, word) for word in self._list(name))
        return tuple(dict.fromkeys(numbers))

    def _number(self, name, word):
        least, most = BOUNDS[name]
        if re.fullmatch('[0-9]{1,9}', word) and least <= int(word) <= most:
            return int(word)
        self.faults.append(f'{flag(name)} {word}: must be a whole number, {least} to {most}')
        return least

    def _sizes(self):
        sizes = self._list('sizes')
        self.faults += [f'--sizes {word}: must be a number and B, KB or MB, such as 4KB'
                        for word in sizes if not SIZE.match(word)]
        return tuple(dict.fromkeys(sizes))


def flag(name):
    """Return the command line's spelling of the option `name`: --ramp-up for `ramp_up`."""
    return '--' + name.replace('_', '-')


def _lab(words, args, faults):
    """Return the LabPlace of the options; append to `faults` the reasons why it cannot be built."""
    devices = tuple(f'sd{number}' for number in range(words.devices))
    place = LabPlace(words.profile, words.nodes, words.devices, words.proxies,
                     min(REPLICAS, words.nodes * words.devices))
    try:
        LabSpec(name=words.name, nodes=words.nodes, devices=words.devices, proxies=words.proxies,
                replicas=place.replicas, port=words.port)
    except ConfigError as err:
        faults += err.faults
    try:
        documents = profile.load(words.profile, words.nodes, devices)
    except ConfigError as err:
        faults += [f'--profile: {fault}' for fault in err.faults]
        return place
    parsed = [rules.parse(document) for document in documents.values()]
    limits = [rules.capacity(one, devices) for one in parsed]
    return replace(
        place, slots=tuple(slots(one, devices) for one in parsed),
        capacity=tuple(None if math.isinf(limit) else round(limit, 3) for limit in limits))


def slots(parsed, devices):
    """Return how many requests a node with the NodeRules `parsed` serves at once.

    None if the rules set no limit. `devices` are the names of the node's devices.
    """
    node = parsed.scopes.get(rules.NODE)
    each = [parsed.scopes.get(device) for device in devices]
    limits = [node.slots] if node and node.mean else []
    if all(rule and rule.mean for rule in each):
        limits.append(sum(rule.slots for rule in each))
    return min(limits, default=None)


def _cluster_faults(args):
    from swift_lb.workload.client import ServerUrl  # packages of the extra `bench`
    from swift_lb.workload.failure import OperationError
    for name in ONLY_LAB:
        if getattr(args, name) is not None:
            yield f'{flag(name)}: is of a lab; a given cluster is measured as it is'
    for url in filter(None, [args.auth, *args.endpoint]):
        try:
            path = ServerUrl(url).path
        except OperationError:
            yield f'{url}: must be a URL, http:// or https://'
            continue
        if url != args.auth and not args.auth and not path.strip('/'):
            yield f'--endpoint {url}: without --auth it must be a storage URL, .../v1/ACCOUNT'
    if not args.auth:
        yield from (f'--{name}: is of a login; say --auth too'
                    for name in ('user', 'key', 'project') if getattr(args, name))
    if args.auth and not (args.user and key_of(args)):
        yield f'--auth: needs --user, and --key or ${KEY}'
    if args.label and not LABEL.match(args.label):
        yield f'--label {args.label}: must be 1 to 40 letters, digits, blanks, dots and dashes'


def key_of(args):
    """Return the user's key (password), which is not part of the Plan and not written to disk."""
    return args.key or os.environ.get(KEY)
