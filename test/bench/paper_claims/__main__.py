"""Claims of the LB-RLT paper, each tested by a rule on the runs of `swift-lb bench evaluate`.

    python test/bench/paper_claims DIR

DIR is the --output of an evaluation. Prints a Markdown table: the claim, its source, the verdict
and the evidence.
"""
import argparse
import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[2])

from bench.paper_claims import claims  # noqa: E402

from swift_lb.drawing import markdown  # noqa: E402
from swift_lb.drawing.document import ReportTable, Section  # noqa: E402
from swift_lb.errors import EvaluationError  # noqa: E402
from swift_lb.evaluation.results import Results  # noqa: E402
from swift_lb.evaluation.store import Store  # noqa: E402

HEADINGS = 'claim', 'source', 'supported?', 'evidence'


def report(directory):
    """Return a Markdown table of the claims, tested on the evaluation in `directory`.

    Raises EvaluationError if there is none.
    """
    store = Store.open(directory)
    verdicts = claims.judge(Results(store.plan, [*store.results.values()]),
                            store.facts.get('slow', ()))
    rows = tuple((claim.text, claim.source, claim.verdict, claim.evidence) for claim in verdicts)
    return markdown.render('Claims', [Section(f'Tested on {directory}', (
        ReportTable('Claims', HEADINGS, rows),))])


def main():
    """Print the table; return an exit status."""
    parser = argparse.ArgumentParser(prog='paper_claims', description=__doc__.split('\n\n')[0])
    parser.add_argument('directory', metavar='DIR', help='of an evaluation')
    try:
        print(report(parser.parse_args().directory))
    except EvaluationError as err:
        sys.exit(f'paper_claims: {err}')
    return 0


if __name__ == '__main__':
    sys.exit(main())
