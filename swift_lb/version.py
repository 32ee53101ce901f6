"""The version of swift-lb: that of the installed package, or of a checkout."""
import configparser
from functools import cache
from importlib import metadata
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]      # if this file is in one
UNKNOWN = 'unknown'


@cache
def version():
    """Return the version, such as 0.1.0; that of a checkout which is not installed has +checkout.

    The metadata of the installed package are its only source: no file has the number a second time.
    """
    try:
        return metadata.version('swift-lb')
    except metadata.PackageNotFoundError:
        return version_of(CHECKOUT)


def version_of(folder):
    """Return the version of the checkout in `folder`, which setup.cfg declares, or UNKNOWN."""
    declared = configparser.RawConfigParser()
    declared.read(folder / 'setup.cfg', encoding='utf-8')
    number = declared.get('metadata', 'version', fallback='')
    return f'{number}+checkout' if number else UNKNOWN
