"""What the options of sensors may be: each check returns what is wrong, or None."""
import math
import os
from collections.abc import Mapping
from numbers import Real


def path_fault(option, value):
    """Check an absolute path."""
    if not isinstance(value, str) or not os.path.isabs(value) or '\0' in value:
        return f'{option} = {value!r}: must be an absolute path'
    return None


def speed_fault(option, value):
    """Check the speed of a link; None is not to say."""
    good = value is None or _is_speed(value)
    return None if good else f'{option} = {value!r}: must be bits per second, more than 0'


def speeds_fault(option, value):
    """Check the speeds of links, by name; None is not to say."""
    good = value is None or (isinstance(value, Mapping) and all(map(_is_name, value))
                             and all(map(_is_speed, value.values())))
    return None if good else (f'{option} = {value!r}: must be bits per second, more than 0, by '
                              'names of network interfaces')


def names_fault(option, value):
    """Check a list of names of network interfaces; None is not to say."""
    good = value is None or (isinstance(value, list | tuple) and all(map(_is_name, value)))
    return None if good else f'{option} = {value!r}: must be names of network interfaces'


def _is_speed(value):
    return (isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
            and value > 0)


def _is_name(text):
    """Return whether an interface may be called that, as the kernel sees it."""
    return (isinstance(text, str) and 0 < len(text) < 16 and text not in ('.', '..')
            and not any(sign in '/:\0' or sign.isspace() for sign in text))
