"""Parts of images, and who computes and keeps them.

    python test/bench/chains [cells | cooperation | browsing | decoding | figure11 | fuzz | cut] ...

`cells` compares the server's choice among the points with each of them, on links; it needs root.
`cooperation` compares the hit ratios of proxies that keep results together, in virtual time.
`browsing` measures on a real Swift what kept results gain, and counts failures under faults.
`decoding` measures what decoding, PNG and coefficients cost.
`figure11` draws Figure 11 of H-SWEB: parts of images in bursts; it needs root.
`fuzz` sends 100,000 mutated images to a real swift-lb-image.
`cut` prints what a proxy spends on indexes and cuts of JPEG 2000 images.
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.chains import browsed, cells, cooperation, cut, decoding, figure11, fuzz

BENCHES = {'cells': cells.main, 'cooperation': cooperation.main, 'browsing': browsed.main,
           'decoding': decoding.main, 'figure11': figure11.main, 'fuzz': fuzz.main, 'cut': cut.main}


def main():
    """Run the bench that the first argument names; return the status."""
    name, *words = sys.argv[1:] or ['']
    if name not in BENCHES:
        sys.exit(f'chains: the benches are {", ".join(BENCHES)}')
    return BENCHES[name](words)


if __name__ == '__main__':
    sys.exit(main())
