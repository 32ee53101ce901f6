"""The command `swift-lb lab wan up | set | status | down`."""
import json

from swift_lb.drawing.numbers import plural
from swift_lb.lab.wan import namespaces, sites, wan

WORDS = '''\
words:
  link=ksu,ucsb                   only this link; without it, all
  rtt=80ms rate=20M loss=1% busy=50%
  down | up                       lose every packet, or carry them again'''


def add_arguments(parser):
    """Add the sub-commands of `swift-lb lab wan` and their options to the argparse `parser`."""
    verbs = parser.add_subparsers(dest='wan_verb', required=True, metavar='VERB')
    for name, (_function, text, add) in VERBS.items():
        add(verbs.add_parser(name, help=text, description=text))


def run(args):
    """Execute the sub-command in `args.wan_verb`; return the exit status."""
    return VERBS[args.wan_verb][0](args)


def add_words(verb, text):
    """Add the argument `words` to a sub-command, and `text` on them, as it is, below its help."""
    verb.formatter_class = type(verb.formatter_class.__name__, (verb.formatter_class,), {
        '_fill_text': lambda self, text, width, indent: text})
    verb.epilog = text
    verb.add_argument('words', nargs='+', metavar='WORD', help='see below')


def _up(args):
    wanted = sites.read(args.file)
    wan.up(wanted)
    print(f'{plural(len(wanted.names), "site")}, {plural(len(wanted.links), "link")}; '
          'a shell there: ip netns exec NAMESPACE sh')
    for name in wanted.names:
        print(f'  {name}: {namespaces.network(wanted.number(name))}.0/24, '
              f'namespace {namespaces.namespace(name)}')
    return 0


def _set(args):
    wan.change(args.words)
    return 0


def _status(args):
    links = wan.link_document()
    if args.json:
        print(json.dumps(links, indent=1))
        return 0
    for pair, link in links.items():
        print(f'{pair}: ' + _options(link))
        for way in ('there', 'back'):
            print(f'  {way}: {link[f"packets_{way}"]} packets, {link[f"bytes_{way}"]} bytes, '
                  f'{link[f"lost_{way}"]} lost, {link[f"dropped_{way}"]} dropped')
    return 0


def _options(link):
    rate = f'{link["rate"] / 1e6:g}M' if link['rate'] else 'no limit'
    return (f'rtt {link["rtt"] * 1e3:g}ms, rate {rate}, loss {link["loss"]:.1%}, '
            f'busy {link["busy"]:.0%}' + (', down' if link['down'] else ''))


def _down(_args):
    names = wan.down()
    print(f'the sites {", ".join(names)} are removed' if names else
          'nothing to do: no wide-area network is up')
    return 0


VERBS = {
    'up': (_up, 'make the sites and links of a file', lambda verb: verb.add_argument(
        'file', metavar='FILE', help='sections [link SITE SITE] with rtt, rate, loss, busy')),
    'set': (_set, 'change links while they are in use', lambda verb: add_words(verb, WORDS)),
    'status': (_status, 'show the links and what they have carried', lambda verb: (
        verb.add_argument('--json', action='store_true', help='for programs'))),
    'down': (_down, 'remove sites and links', lambda verb: None),
}
