"""Completions of `swift-lb` for bash and zsh, made by shtab from the parser of the command."""
import re

import shtab
from command_pages import commands, options_of

COMPLETED = {'FILE': shtab.FILE, 'DIR': shtab.DIRECTORY}    # metavar or name: what is completed


def completions(parser):
    """Return {path in doc/completion: text}; `parser` is that of all commands."""
    for command, _summary in commands(parser):
        for action in options_of(command):
            name = str(action.metavar or action.dest).upper()
            if action.choices is None and name in COMPLETED:
                action.complete = COMPLETED[name]
    return {path: without_blanks(shtab.complete(parser, shell))
            for path, shell in (('bash/swift-lb', 'bash'), ('zsh/_swift-lb', 'zsh'))}


def without_blanks(text):
    """Return `text` without blanks at the ends of lines."""
    return re.sub(r'[ \t]+$', '', text, flags=re.MULTILINE)
