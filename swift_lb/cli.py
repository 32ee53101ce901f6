"""The one command, `swift-lb`: finds the sub-command's room and hands over."""
import argparse
import importlib
import sys

from swift_lb.errors import SwiftLBError

# name: (module with add_arguments(parser) and run(args) -> exit status, help)
COMMANDS = {
    'check': ('swift_lb.proxy.check', 'verify a proxy-server.conf and this Swift, start nothing'),
    'lab': ('swift_lb.lab.command', 'a real heterogeneous Swift on this machine'),
    'top': ('swift_lb.console.top', 'watch what the proxies know of each device'),
    'why': ('swift_lb.console.why', "explain the order an object's replicas are read in"),
}


def parser_for(argv):
    """Build the parser, loading only the room the first word of `argv` names.

    Rooms import Swift, matplotlib or rich; `swift-lb --help` needs none of them.
    """
    parser = argparse.ArgumentParser(
        prog='swift-lb', description='Load balancing for an OpenStack Swift cluster.')
    commands = parser.add_subparsers(dest='command', required=True, metavar='COMMAND')
    for name, (module, text) in COMMANDS.items():
        command = commands.add_parser(name, help=text, description=text)
        if argv and argv[0] == name:
            room = importlib.import_module(module)
            room.add_arguments(command)
            command.set_defaults(run=room.run)
    return parser


def main(argv=None):
    """Run one sub-command and return its exit status: 0 done, 1 refused, 2 wrong usage."""
    argv = sys.argv[1:] if argv is None else argv
    args = parser_for(argv).parse_args(argv)
    try:
        return args.run(args)
    except SwiftLBError as err:
        print(f'swift-lb {args.command}: {err}', file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == '__main__':
    sys.exit(main())
