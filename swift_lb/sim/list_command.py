"""`swift-lb sim list`: print the included scenarios and the policies."""
from rich.console import Console
from rich.table import Table

from swift_lb.sim import contenders, shipped


def add_arguments(parser):
    """Do nothing, because `swift-lb sim list` has no options."""


def run(_args):
    """Print the included scenarios and the policies; return 0."""
    console = Console()
    _print(console, 'scenario', {name: shipped.load(name).says for name in shipped.names()})
    console.print()
    _print(console, 'policy', {label: contenders.says(label) for label in contenders.labels()
                               if not label.endswith(contenders.SHARED)})
    console.print('NAME@host: policy NAME, with one book for all workers of a host', markup=False,
                  highlight=False)
    console.print(f'...{contenders.HEDGED}: any of them, and late reads go to a second device too',
                  markup=False, highlight=False)
    return 0


def _print(console, heading, rows):
    table = Table(box=None, pad_edge=False)
    table.add_column(heading, no_wrap=True)
    table.add_column('')
    for name, text in rows.items():
        table.add_row(name, text)
    console.print(table)
