"""A manual page for each command of swift-lb, from its argparse parser, and for each daemon.

argparse has no public way to list what a parser accepts: `_actions` and `_SubParsersAction` are
what shtab and argparse-manpage read, too.
"""
import argparse
import textwrap

from roff import Page, bold, italic

STATUS = (('0', 'success'),
          ('1', 'an error, which the standard error names, or a fault, which the output names'),
          ('2', 'options or arguments that the command does not have'), ('130', 'Ctrl-C'))
PAGES = {   # the first words of a command, the most specific first: its page of the manual
    'bench evaluate': 'evaluation', 'bench': 'cosbench', 'check': 'check', 'image': 'images',
    'lab wan': 'clusters', 'lab': 'lab', 'plan': 'agents', 'sim': 'simulator', 'top': 'status',
    'why': 'status'}
DESCRIPTION = (
    'In an OpenStack Swift cluster whose nodes and disks are not all alike, swift-lb makes reads '
    'go where they are answered soonest. It runs in Swift\'s proxies (see `swift-lb-options`(7)) '
    'and in daemons beside them (`swift-lb-agent`(1), `swift-lb-dns`(1), `swift-lb-image`(1)). '
    'This command shows what they know, verifies their confs, and compares policies.')
SETTINGS = 'swift-lb-options(7), lb-server.conf(5)'


def subparsers(parser):
    """Return the action of an argparse `parser` that holds its sub-commands, or None."""
    return next((one for one in parser._actions
                 if isinstance(one, argparse._SubParsersAction)), None)


def commands(parser, summary=''):
    """Yield (parser, summary) of each command below `parser` that has no sub-commands."""
    below = subparsers(parser)
    if below is None:
        yield parser, summary
        return
    summaries = {one.dest: one.help for one in below._choices_actions}
    for name, command in below.choices.items():
        yield from commands(command, summaries[name])


def options_of(parser):
    """Return the actions of `parser` that are options or arguments, not sub-commands."""
    return [one for one in parser._actions if one is not subparsers(parser)]


def name_of(parser):
    """Return the name of the page of a parser: `swift-lb-bench-run`."""
    return parser.prog.replace(' ', '-')


def command_page(parser, summary):
    """Return the Page of one command of swift-lb, of its `parser`."""
    page = Page(name_of(parser), 1, summary)
    synopsis(page, parser)
    page.heading('DESCRIPTION')
    page.text(f'{summary[0].upper()}{summary[1:]}.')
    options(page, parser)
    if parser.epilog:
        title, _newline, rest = parser.epilog.partition('\n')
        page.heading(title.rstrip(':').upper())
        page.literal(textwrap.dedent(rest).split('\n'))
    exit_status(page)
    words = parser.prog.removeprefix('swift-lb ')
    page.heading('SEE ALSO')
    page.text(f'swift-lb(1); doc/{next(PAGES[one] for one in PAGES if words.startswith(one))}.md '
              'of the manual')
    return page


def main_page(parser):
    """Return the Page of swift-lb itself: all its commands."""
    page = Page('swift-lb', 1, 'load balancing for an OpenStack Swift cluster')
    page.heading('SYNOPSIS')
    page.source(bold('swift-lb'), f'{italic("COMMAND")} ...')
    page.heading('DESCRIPTION')
    page.text(DESCRIPTION)
    options(page, parser)
    page.heading('COMMANDS')
    every = list(commands(parser))
    for command, summary in every:
        page.entry([bold(command.prog)], [summary])
    page.text('Each has a page of its own, such as swift-lb-bench-run(1).')
    exit_status(page)
    page.heading('SEE ALSO')
    page.text(', '.join(f'{name_of(command)}(1)' for command, _summary in every)
              + f', swift-lb-agent(1), swift-lb-dns(1), swift-lb-image(1), {SETTINGS}')
    return page


def synopsis(page, parser):
    """Add the section SYNOPSIS of a command: its name, and each of its options and arguments."""
    page.heading('SYNOPSIS')
    page.source(bold(parser.prog))
    groups = {id(action): group for group in parser._mutually_exclusive_groups
              for action in group._group_actions}
    for action in options_of(parser):
        group = groups.get(id(action))
        if group is None:
            page.source(bracketed(invocation(action, short=True), needed(action)))
        elif action is group._group_actions[0]:
            page.source(bracketed(' | '.join(invocation(one, short=True)
                                             for one in group._group_actions), group.required))


def needed(action):
    """Return whether a command can not do without an option or argument."""
    return action.required and action.nargs not in ('?', '*')


def bracketed(text, is_needed):
    """Return a part of a synopsis, in brackets unless it `is_needed`; choices keep parentheses."""
    return f'[{text}]' if not is_needed else f'({text})' if ' | ' in text else text


def invocation(action, short=False):
    """Return the roff of how an option or argument is given; `short`: by its first name only."""
    names = action.option_strings[:1] if short else action.option_strings
    return ' '.join(filter(None, (', '.join(map(bold, names)), values(action))))


def values(action):
    """Return the roff of the values that an argparse action takes: `N`, `URL ...` or nothing.

    The brackets of an argument that may be absent are the synopsis'.
    """
    if action.nargs == 0:
        return ''
    name = action.metavar or ('|'.join(action.choices) if action.choices else
                              action.dest.upper() if action.option_strings else action.dest)
    names = ' '.join(map(italic, name)) if isinstance(name, tuple) else italic(name)
    several = f'{names} ...' if action.nargs in ('+', '*') else names
    return f'[{several}]' if action.nargs in ('?', '*') and action.option_strings else several


def options(page, parser):
    """Add the section OPTIONS: an entry for each option and argument of `parser`."""
    page.heading('OPTIONS')
    for action in options_of(parser):
        page.entry([invocation(action)], [help_of(action, parser)])


def help_of(action, parser):
    """Return the help text of an action as `--help` prints it, with its default filled in."""
    return (action.help or '') % (vars(action) | {'prog': parser.prog})


def exit_status(page):
    """Add the section EXIT STATUS, which is the same for all commands."""
    page.heading('EXIT STATUS')
    for status, meaning in STATUS:
        page.entry([bold(status)], [meaning])
