"""Text from other programs, made safe for display. Pure."""


def printable(text):
    """Return `text` with each control character and line end replaced by U+FFFD."""
    return ''.join(char if char.isprintable() else '\N{REPLACEMENT CHARACTER}' for char in text)


def listed(words):
    """Return `words` with commas between them, for a sentence; '' if there are none."""
    return ', '.join(map(str, words))
