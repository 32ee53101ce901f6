"""Text from other programs, made safe for display. Pure."""


def printable(text):
    """Return `text` without control characters and line ends."""
    return ''.join(char if char.isprintable() else '\N{REPLACEMENT CHARACTER}' for char in text)


def listed(words):
    """Return words as a list in a sentence; '' without any."""
    return ', '.join(map(str, words))
