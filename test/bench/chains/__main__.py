"""Parts of images, and who computes and keeps them.

    python test/bench/chains [cooperation | caching | decoding | fuzz] ...

`cooperation` compares the hit ratios of proxies that keep results together, in virtual time.
`caching` measures response times of a trace of browsing, with a cache and without.
`fuzz` sends 100,000 mutated images to a real swift-lb-image.
`decoding` measures what decoding, PNG and coefficients cost.
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.chains import caching, cooperation, decoding, fuzz

BENCHES = {'cooperation': cooperation.main, 'caching': caching.main, 'decoding': decoding.main,
           'fuzz': fuzz.main}


def main():
    """Run the bench that the first argument names; return the status."""
    name, *words = sys.argv[1:] or ['']
    if name not in BENCHES:
        sys.exit(f'chains: the benches are {", ".join(BENCHES)}')
    return BENCHES[name](words)


if __name__ == '__main__':
    sys.exit(main())
