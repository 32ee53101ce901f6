"""Several clusters, measured in labs on real links; needs root, but for `figures`.

    python test/bench/clusters [predictions | table1 | matrix | spill | faults | synced | figures |
                                record | link] ...

`predictions` compares the predicted seconds of reads with those that they take. `table1` repeats
the reads of files of the H-SWEB paper: client x data, with tier 4 and without. `matrix` compares
all policies of clusters. `spill` overloads one cluster beside an idle one. `faults` measures how
soon reads are served at home after a fault, `synced` reads copies that are a minute old. `figures`
prints what Figures 8, 9 and 12 of the paper draw; `record` records the link of Figure 8. `link`
compares links with what their file says.
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.clusters import (
    faults,
    figures,
    link,
    matrix,
    predictions,
    record,
    spill,
    synced,
    table1,
)
from support.wide_area import missing

BENCHES = {'predictions': predictions.main, 'record': record.main, 'table1': table1.main,
           'matrix': matrix.main, 'spill': spill.main, 'figures': figures.main,
           'faults': faults.main, 'synced': synced.main, 'link': link.main}


def main():
    """Run the bench that the first argument names, `predictions` by default; return the status."""
    name, *words = sys.argv[1:] or ['predictions']
    if name not in BENCHES:
        name, words = 'predictions', sys.argv[1:]
    if name != 'figures' and (reason := missing()):
        sys.exit(f'clusters: {reason}')
    return BENCHES[name](words)


if __name__ == '__main__':
    sys.exit(main())
