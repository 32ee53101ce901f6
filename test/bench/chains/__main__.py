"""Benches of parts of images: where they are made, what that takes, and where they are kept.

    python test/bench/chains [cells | cooperation | browsing | decoding | figure11 | fuzz | cut] ...
    python test/bench/chains [--out DIR]        all of them, and their drawings in DIR; 40 minutes

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


DRAWN = 'cells', 'browsing', 'figure11'     # these take --out, a folder for their drawings


def main():
    """Run the bench that the first argument names, or all of them; return the status."""
    name, *words = sys.argv[1:] or ['']
    if name in BENCHES:
        return BENCHES[name](words)
    if name == '--help':
        print(__doc__.strip())
        return 0
    if name not in ('', '--out') or (name and len(words) != 1):
        sys.exit(f'chains: take one of {", ".join(BENCHES)}; or none, with or without --out DIR')
    out = words[0] if words else 'chains'
    return max([run(each, out) for each in BENCHES])


def run(name, out):
    """Run a bench, whose drawings go to a folder in `out`; return its status."""
    print(f'\n== {name}', flush=True)
    try:
        return BENCHES[name](['--out', f'{out}/{name}'] if name in DRAWN else []) or 0
    except SystemExit as err:       # it has failed, and says why
        if isinstance(err.code, str):
            print(err.code)
        return 0 if err.code in (0, None) else 1


if __name__ == '__main__':
    sys.exit(main())
