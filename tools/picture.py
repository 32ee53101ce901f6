"""Write a picture of the manual as a small PNG: of a page that is served, or of another PNG.

    .venv/bin/python tools/picture.py http://127.64.1.1:6209/ doc/figures/agents.png
    .venv/bin/python tools/picture.py report/policies.png doc/figures/policies.png

A page is drawn by Chromium, once its charts are. Colours are reduced to 128: few pictures of charts
have more, and they take a third of the bytes.
"""
import argparse
import base64
import io
import sys
from pathlib import Path

from PIL import Image

sys.path.append(str(Path(__file__).resolve().parents[1] / 'test'))
from support.chromium import Chromium

COLOURS, WIDTH, HEIGHT = 128, 1280, 800
DRAWN = "document.querySelectorAll('canvas').length"


def screenshot(url, width, height):
    """Return the page at `url`, in a window of this size, as the bytes of a PNG."""
    with Chromium() as browser:
        browser.open(url, width, height)
        browser.until(DRAWN)
        browser.value('new Promise(done => setTimeout(done, 3000))')    # its charts get two points
        return base64.b64decode(browser('Page.captureScreenshot', format='png')['data'])


def small(data):
    """Return the bytes of a PNG with at most COLOURS colours, compressed as well as can be."""
    picture, written = Image.open(io.BytesIO(data)).convert('RGB'), io.BytesIO()
    picture.quantize(COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(
        written, 'PNG', optimize=True)
    return written.getvalue()


def main():
    """Write the picture; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    parser.add_argument('source', help='a URL, or a PNG')
    parser.add_argument('file', type=Path, help='the PNG to be written')
    parser.add_argument('--width', type=int, default=WIDTH, help='pixels of the window')
    parser.add_argument('--height', type=int, default=HEIGHT, help='pixels of the window')
    args = parser.parse_args()
    data = (screenshot(args.source, args.width, args.height) if '://' in args.source
            else Path(args.source).read_bytes())
    args.file.parent.mkdir(parents=True, exist_ok=True)
    args.file.write_bytes(small(data))
    print(f'{args.file}: {args.file.stat().st_size:,} bytes')
    return 0


if __name__ == '__main__':
    sys.exit(main())
