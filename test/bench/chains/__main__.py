"""Parts of images, and who computes and keeps them.

    python test/bench/chains [cooperation | cut] ...

`cooperation` compares the hit ratios of proxies that keep results together, in virtual time. `cut`
prints what a proxy spends on indexes and cuts of JPEG 2000 images.
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.chains import cooperation, cut

BENCHES = {'cooperation': cooperation.main, 'cut': cut.main}


def main():
    """Run the bench that the first argument names; return the status."""
    name, *words = sys.argv[1:] or ['']
    if name not in BENCHES:
        sys.exit(f'chains: the benches are {", ".join(BENCHES)}')
    return BENCHES[name](words)


if __name__ == '__main__':
    sys.exit(main())
