"""The frame of the benches of dispatchers: options, turns, progress, and results after Ctrl-C.

`dispatchers`, `catalogue`, `cygnus`, `two_levels` and `overload` are tables of scenarios on it.
"""
import os
import signal
import sys

from swift_lb.experiment.runs import alternating


def progress(bench):
    """Return a function that prints a line of the named `bench` on stderr, with the load average.
    """
    def say(text):
        print(f'{bench}: {text}; load {os.getloadavg()[0]:.1f}', file=sys.stderr, flush=True)
    return say


def chosen(parser, option, text, known):
    """Return the names in the comma-separated `text` of `option`.

    Ends the command with a message if a name is not in `known`.
    """
    names = text.split(',')
    if unknown := [name for name in names if name not in known]:
        parser.error(f'--{option}: unknown: {", ".join(unknown)}; there are {", ".join(known)}')
    return names


def complete(options, defaults):
    """Set the `options` that are None, by {name: (default, default with --quick)}."""
    for name, values in defaults.items():
        if getattr(options, name) is None:
            setattr(options, name, values[options.quick])
    return options


def turns(cluster, balancers, blocks):
    """Yield (block, Balancer): every balancer in each block, backwards in every other block.

    The proxies are restarted when the policy of their dispatchers changes.
    """
    used = ''       # neither a policy nor None
    for block in range(blocks):
        for balancer in alternating(balancers, block):
            if balancer.policy != used:
                used = balancer.policy
                cluster.use(used)
            yield block, balancer


def carry_out(say, measure, show):
    """Call measure(), then show(), which shows what was measured even if Ctrl-C or SIGTERM came.

    Returns the exit status. The lab that measure() has started is stopped before show().
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        measure()
    except KeyboardInterrupt:
        say('stopped; these are the results so far')
        return 130
    finally:
        show()
    return 0
