"""`swift-lb plan --reports DIR`: print the Instruction that agents compute from given reports."""
import json
import pathlib

from rich.console import Console
from rich.table import Table

from swift_lb.errors import AgentError
from swift_lb.model import Heard, Report
from swift_lb.plan.options import DEFAULTS
from swift_lb.plan.plan import RULES, plan
from swift_lb.plan.reason import reasons
from swift_lb.service import options
from swift_lb.wire import node_report
from swift_lb.wire.instruction import document

FIELDS = frozenset(Report._fields)
REQUIRED = ('node', 'metrics')
DEFAULT_FIELDS = {'epoch': 0, 'sequence': 0, 'sent_at': 0.0, 'interval': 1.0}
COLUMNS = ('node', 'state', 'load', 'weight', 'dns', 'keep', 'take', 'reason')


def add_arguments(parser):
    """Add the command-line options of `swift-lb plan` to an argparse parser."""
    parser.add_argument('--reports', required=True, metavar='DIR',
                        help='a directory of *.json: documents of /v1/reports, or a report each; '
                             'or one such file')
    parser.add_argument('--conf', metavar='FILE', help='plan by this lb-server.conf')
    parser.add_argument('--rules', choices=RULES, help='plan by this rule set')
    parser.add_argument('--json', action='store_true', help='for programs')


def run(args):
    """Print the Instruction; return the exit status 0. Raises AgentError or ConfigError."""
    chosen = options.read(args.conf).plan if args.conf else DEFAULTS
    if args.rules:
        chosen = chosen._replace(rules=args.rules)
    reports = read(pathlib.Path(args.reports))
    instruction = plan(reports, None, 0.0, chosen)
    if instruction is None:
        raise AgentError(f'{args.reports}: there is no report that counts')
    if args.json:
        print(json.dumps(document(instruction, None), indent=1))
    else:
        show(instruction, reasons(instruction, reports, 0.0, chosen))
    return 0


def show(instruction, why):
    """Print an Instruction as a table; `why` is {node: reason}, its last column."""
    table = Table(box=None, pad_edge=False)
    for name in COLUMNS:
        table.add_column(name, no_wrap=True,
                         justify='left' if name in ('node', 'state', 'reason') else 'right')
    for node in instruction.nodes:
        table.add_row(node.node, node.state, '-' if node.load is None else f'{node.load:.4g}',
                      f'{node.weight:.3f}', *(f'{100 * share:.1f}%' for share in (
                          node.dns, node.keep, node.take)), why[node.node])
    console = Console(width=200, highlight=False, markup=False)
    console.print(f'rules {instruction.rules}, generation {instruction.generation}, digest '
                  f'{instruction.digest}' + (', PANIC' if instruction.panic else ''))
    console.print(table)


def read(path):
    """Return {node: Heard} of the JSON file, or of all *.json in the directory, at `path`.

    A Heard is a report, and when it came. Of several reports of one node the latest counts, by
    epoch and sequence. Raises AgentError.
    """
    files = sorted(path.glob('*.json')) if path.is_dir() else [path]
    if not files:
        raise AgentError(f'{path}: there is no *.json in it')
    reports = [received for file in files for received in reports_of(file)]
    reports.sort(key=lambda received: (received.report.epoch, received.report.sequence))
    return {received.report.node: received for received in reports}


def reports_of(file):
    """Return a list with a Heard for each report in one file; raises AgentError.

    The field `age` of a report is the seconds since it was received.
    """
    try:
        content = json.loads(file.read_text(encoding='utf-8'))
        return [heard_of(one) for one in content.get('reports', [content])]
    except OSError as err:
        raise AgentError(f'{file}: {err.strerror}') from None
    except (ValueError, TypeError, AttributeError, RecursionError, OverflowError) as err:
        raise AgentError(f'{file}: must be a document of /v1/reports, or one of its reports: '
                         f'{err}') from None


def heard_of(content):
    """Return the Heard (report, instant of receipt) of a report that JSON gives as a dict.

    Raises TypeError or ValueError if the dict is no report.
    """
    for name in REQUIRED:
        if name not in content:
            raise ValueError(f'{name} is missing')
    fields = {**Report._field_defaults, **DEFAULT_FIELDS,
              **{name: value for name, value in content.items() if name in FIELDS}}
    age = node_report.number(content.get('age', 0.0), 0.0, 1e12)
    return Heard(node_report.report_of(**fields), -age)
