"""A duration as the policies' reasons tell it. Pure."""


def milliseconds(seconds):
    """Return seconds as text, in milliseconds: 0.123 ms, 12.3 ms, 1234 ms."""
    number = seconds * 1000
    return f'{number:.0f} ms' if number >= 999.5 else f'{number:.3g} ms'
