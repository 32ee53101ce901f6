"""Texts that others wrote, made fit to be shown. Pure."""


def printable(text):
    """Return `text` without what moves a terminal's cursor or breaks a line."""
    return ''.join(char if char.isprintable() else '\N{REPLACEMENT CHARACTER}' for char in text)


def listed(words):
    """Return words as a list in a sentence; empty without any."""
    return ', '.join(map(str, words))
