"""The command `swift-lb`: imports only the module of the sub-command given, and runs it."""
import argparse
import importlib
import io
import os
import select
import sys

from swift_lb.errors import SwiftLBError
from swift_lb.version import version

# name: (module with add_arguments(parser) and run(args) -> exit status, help); or, for a command
# with sub-commands, (a table of them like this one, help)
COMMANDS = {
    'bench': ({
        'check': ('swift_lb.workload.check_command', 'verify a COSBench workload, run nothing'),
        'run': ('swift_lb.workload.run_options', 'run a COSBench workload'),
        'evaluate': ('swift_lb.evaluation.options', 'compare policies on a lab or a cluster'),
    }, 'run COSBench workloads, compare policies with them'),
    'check': ('swift_lb.check.command', 'verify the confs of a host and its Swift, start nothing'),
    'image': ('swift_lb.console.image.options', 'write images, and read parts of them'),
    'lab': ('swift_lb.lab.command', 'run a real heterogeneous Swift on this machine'),
    'plan': ('swift_lb.service.plan_command', 'compute what agents would instruct by reports'),
    'sim': ({
        'run': ('swift_lb.sim.run_command', 'simulate one scenario with one policy'),
        'list': ('swift_lb.sim.list_command', 'list the scenarios and the policies'),
        'compare': ('swift_lb.sim.compare_command', 'compare policies in many scenarios'),
        'cluster': ('swift_lb.sim.cluster_command', 'compare plans for proxies, dispatchers, DNS'),
        'caches': ('swift_lb.sim.caches_command', 'simulate DNS answers that few resolvers keep'),
        'sites': ('swift_lb.sim.sites_command', 'simulate several clusters and their links'),
    }, 'simulate policies in virtual time'),
    'top': ('swift_lb.console.top', 'watch what the proxies know of each device'),
    'why': ('swift_lb.console.why', 'explain where a read or a new client goes: to which device, '
                                    'proxy or cluster'),
}
EXTRAS = {      # package as it is imported: the extra that installs it
    'defusedxml': 'bench', 'hdrh': 'bench', 'httptools': 'bench', 'matplotlib': 'bench',
    'uvloop': 'bench', 'numpy': 'image', 'PIL': 'image',
}


def parser_for(argv):
    """Return the parser of swift-lb; only the package of the command in `argv` is imported.

    The packages import Swift, matplotlib or rich; `swift-lb --help` needs none of them. With None
    for `argv` all are imported, and the parser has the options of each command: for man pages.
    """
    parser = argparse.ArgumentParser(
        prog='swift-lb', description='Load balancing for an OpenStack Swift cluster.')
    parser.add_argument('--version', action='version', version=f'%(prog)s {version()}')
    add_commands(parser, COMMANDS, argv)
    return parser


def add_commands(parser, table, argv):
    """Add to `parser` the commands of `table`, {name: (module or table of sub-commands, help)}.

    `argv` are the words after the command of `parser`; only the module that they name is imported,
    with None each of them.
    """
    commands = parser.add_subparsers(metavar='COMMAND')
    parser.set_defaults(run=lambda _args: show_commands(parser))
    for name, (module, text) in table.items():
        command = commands.add_parser(name, help=text, description=text)
        if argv is not None and argv[:1] != [name]:
            continue
        if isinstance(module, dict):
            add_commands(command, module, argv and argv[1:])
        else:
            room = load(module, command)
            room.add_arguments(command)
            command.set_defaults(run=room.run, prog=command.prog)


def show_commands(parser):
    """Print the help of `parser`, which has sub-commands of which none was given; return 2."""
    parser.print_help(sys.stderr)
    return 2


def load(module, command):
    """Return the imported module named `module`; exit if a package that it imports is missing.

    The error message of `command`, an argparse parser, names the missing package.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as err:
        command.error(missing(err))


def missing(err):
    """Return a sentence on the package that the ModuleNotFoundError `err` names.

    Raises `err` if it is a module of swift-lb, which would be a fault of ours.
    """
    package = err.name.partition('.')[0]
    if package == 'swift_lb':
        raise err
    extra = f'[{EXTRAS[package]}]' if package in EXTRAS else ''
    return f"the Python package {package} is missing: pip install 'swift-lb{extra}'"


def main(argv=None):
    """Run the sub-command in the words `argv` and return its exit status.

    It is 0 for success, 1 for an error, 130 for Ctrl-C. None for `argv` means the command line.
    """
    argv = sys.argv[1:] if argv is None else argv
    if isinstance(sys.stdout, io.TextIOWrapper):  # names need not be what this terminal can write
        sys.stdout.reconfigure(errors='backslashreplace')
    try:
        args = parser_for(argv).parse_args(argv)
        status = args.run(args)
        print(end='', flush=True)
        return status
    except BrokenPipeError:
        if not stdout_is_closed():
            raise
        return 1
    except SwiftLBError as err:
        print(f'{args.prog}: {err}', file=sys.stderr)
        return 1
    except ModuleNotFoundError as err:
        print(f'{args.prog}: {missing(err)}', file=sys.stderr)
        return 1
    except KeyboardInterrupt:   # while a module is imported, too: that may take a second
        return 130


def stdout_is_closed():
    """Return whether the reader of stdout has closed the pipe; if so, discard all output."""
    output = select.poll()
    output.register(sys.stdout.fileno(), 0)
    if not output.poll(0):
        return False
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is in the buffer
    return True


if __name__ == '__main__':
    sys.exit(main())
