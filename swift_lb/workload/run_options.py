"""The options of `swift-lb bench run`.

They are printed without the packages of the extra `bench`, which only a run needs.
"""
from pathlib import Path


def add_arguments(parser):
    """Add the arguments of `swift-lb bench run` to an argparse parser."""
    parser.add_argument('file', metavar='FILE', help="a COSBench workload file; '-' reads it from "
                                                     'the standard input')
    parser.add_argument('--endpoint', action='append', default=[], metavar='URL',
                        help="a proxy, http(s)://HOST:PORT, in place of the workload's; with a "
                             'path it is a whole storage URL; several: workers take them in turn')
    parser.add_argument('--token', help='log in nowhere, send this token')
    parser.add_argument('--archive', type=Path, default=Path('archive'), metavar='DIR',
                        help="where the results go, in COSBench's files and ours "
                             '(default: %(default)s)')
    parser.add_argument('--processes', type=int, metavar='N',
                        help='drivers (default: one for each core)')
    parser.add_argument('--seed', type=int, metavar='N',
                        help='choose the same objects and sizes as another run with this seed')


def run(args):
    """Run the workload of the file, as command.run does; return the exit status."""
    from swift_lb.workload import command  # packages that only the extra installs
    return command.run(args)
