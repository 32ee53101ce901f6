"""The tables of the report, as HTML elements in which all text is escaped."""
from html import escape
from itertools import pairwise

from swift_lb.drawing.numbers import megabytes, milliseconds, percent, plural, three_digits
from swift_lb.drawing.text import printable
from swift_lb.workload.figures import PERCENTILES


class Markup(str):
    """A str that is HTML already; any other text is escaped when it is inserted."""

    __slots__ = ()


def tag(name, *parts, **attributes):
    """Return the HTML element `name` around `parts`; the keyword class_ is the attribute class."""
    head = ''.join(f' {key.rstrip("_")}="{escape(printable(str(value)))}"'
                   for key, value in attributes.items())
    return Markup(f'<{name}{head}>{joined(parts)}</{name}>')


def joined(parts):
    """Return the concatenation of `parts`; those that are not Markup are escaped."""
    return Markup(''.join(part if isinstance(part, Markup) else escape(printable(str(part)))
                          for part in parts))


def lines(texts):
    """Return `texts` as an unordered list in HTML."""
    return tag('ul', *(tag('li', text) for text in texts))


def table(headings, rows, left=1):
    """Return an HTML table; the first `left` columns are texts, the further columns numbers.

    `headings` and each of the `rows` are a sequence of cells; a cell is a str or a Markup.
    """
    def row(cell, texts):
        return tag('tr', *(tag(cell, text, class_='text') if column < left else tag(cell, text)
                           for column, text in enumerate(texts)))
    return tag('div', tag('table', tag('thead', row('th', headings)),
                          tag('tbody', *(row('td', texts) for texts in rows))), class_='wide')


STATE_CLASSES = {'finished': 'good', 'completed': 'good', 'failed': 'bad', 'terminated': 'stopped',
         'aborted': 'stopped'}
MAX_REASONS = 20   # rarer ones are summed up in one row
RESULTS = ('stage', 'operation', 'workers', 'count', 'op/s', 'mean ms', 'p50', 'p99', 'p99.9',
           'max', 'MB/s', 'success %')


def state(word):
    """Return the state of a stage or run as a coloured word in HTML."""
    return tag('span', word, class_=f'state {STATE_CLASSES.get(word, "")}')


def success(outcome):
    """Return the success ratio of an Outcome in per cent, highlighted if an operation failed."""
    text = percent(outcome.success_ratio)
    return tag('span', text, class_='failed') if outcome.op.failures else text


def results(stages):
    """Return the table of the main figures of all operations of a run.

    `stages` are (StageResult, its Outcomes).
    """
    return table(RESULTS, [row for stage in stages for row in _results(*stage)], left=2)


def _results(result, outcomes):
    name = result.stage.id or result.stage.name
    if not outcomes:
        yield (name, state(result.state), *['-'] * (len(RESULTS) - 2))
    for one in outcomes:
        yield (name, one.label, f'{one.workers:,}', f'{one.op.successes:,}',
               *_figures(one, RESULTS[6:10]))


def _figures(one, columns):
    return (three_digits(one.throughput), milliseconds(one.mean),
            *(milliseconds(one.percentile(column)) for column in columns),
            megabytes(one.bandwidth), success(one))


def operations(outcomes):
    """Return the table of all figures of one stage's Outcomes."""
    return table(
        ('operation', 'count', 'failures', 'unfinished', 'op/s', 'mean ms', *PERCENTILES, 'MB/s',
         'success %'),
        [(one.label, f'{one.op.successes:,}', f'{one.op.failures:,}', f'{one.op.unfinished:,}',
          *_figures(one, PERCENTILES)) for one in outcomes])


def reasons(outcomes):
    """Return the table of the reasons of failures, the most frequent first; '' without failures."""
    rows = [(one.label, *row) for one in outcomes for row in _reasons(one.op)]
    return table(('operation', 'reason', 'failures', '% of all'), rows, left=2) if rows else ''


def _reasons(op):
    done = op.successes + op.failures
    shown = op.reasons.most_common(MAX_REASONS)
    rest = op.reasons.total() - sum(times for _reason, times in shown)
    if rest:
        shown.append((f'{len(op.reasons) - len(shown):,} other reasons', rest))
    return [(reason, f'{times:,}', _share(times / done)) for reason, times in shown]


def _share(fraction):
    return f'{fraction * 100:.2f}' if fraction >= 5e-5 else '< 0.01'


def stages(results):
    """Return the table of the StageResults `results`: their works, states and durations."""
    return table(('stage', 'state', 'works', 'its states, and how long each lasted',
                  'measured window'),
                 [(result.stage.id or result.stage.name, state(result.state),
                   _works(result.stage.works), _states(result.states),
                   f'{three_digits(result.window)} s' if result.works else '-')
                  for result in results], left=4)


def _works(works):
    shown = [', '.join(_work(work)) for work in works]
    return joined([part for text in shown for part in (Markup('<br>'), text)][1:])


def _work(work):
    yield f'{work.name}: {plural(work.workers, "worker")}'
    for name, value, unit in (('rate', work.rate, '/s'), ('runtime', work.runtime, ' s'),
                              ('ramp-up', work.rampup, ' s'), ('ramp-down', work.rampdown, ' s')):
        if value:
            yield f'{name} {value:g}{unit}'
    if work.total_ops and work.type == 'normal':
        yield f'{work.total_ops:,} operations'
    if work.total_bytes:
        yield f'{work.total_bytes:,} bytes'


def _states(entries):
    lasted = [f'{entered.state} {following.instant - entered.instant:.1f} s'
              for entered, following in pairwise(entries)]
    return ', '.join([*lasted, *(entered.state for entered in entries[-1:])])
