"""Figures 8, 9 and 12 of the H-SWEB paper as tables, with what the paper says of each.

    python test/bench/clusters figures

Figure 8 is of the recorded link (record.py). The others are times on this machine's processor.
Figure 9: a decision before a read is served, by the number of other clusters that may serve it.
Figure 12(a): until each of several reads is decided that come to a worker at once, each in a green
thread. Figure 12(b): agents and dispatchers, as fractions of a core. Needs no root.
"""
import json
import statistics

from bench.summaries import BEGIN, TimedNetwork
from eventlet import GreenPool
from support.cluster_costs import early, early_decision, named
from support.cluster_network import INTERVAL
from support.forecast_series import RECORDED

from swift_lb.clock import monotonic
from swift_lb.plan.forecast.series import MeasuredSeries

EACH = 20               # samples of a line of Figure 8
CLUSTERS, AT_ONCE, TIMES = (1, 2, 3, 5, 10, 18), (1, 10, 100), 200
AGENTS, INTERVALS = 6, 10
READS = 100             # a second and worker that could leave


def figure_8():
    """Print the recorded bandwidth and its forecasts; the last line has the error of all."""
    series, rows = MeasuredSeries(), []
    for value in json.loads(RECORDED.read_text())['bandwidth, kB/s']:
        if series.forecast is not None:
            rows.append((value, series.forecast.value, abs(series.forecast.value - value)))
        series.add(value)
    print(f'Figure 8: bandwidth of the recorded link, kB/s; means of {EACH} samples\n'
          f'{"sample":>8}{"measured":>10}{"forecast":>10}{"error":>8}')
    for begin in range(0, len(rows), EACH):
        value, forecast, error = map(statistics.fmean, zip(*rows[begin:begin + EACH], strict=True))
        print(f'{begin:>8}{value:>10.0f}{forecast:>10.0f}{error:>8.0f}')
    value, forecast, error = map(statistics.fmean, zip(*rows, strict=True))
    print(f'{"all":>8}{value:>10.0f}{forecast:>10.0f}{error:>8.0f}, {error / value:.0%}\n'
          'the paper draws such a curve, without numbers\n')


def figure_9():
    """Print the microseconds of a decision by clusters; return those of three."""
    took = {count: early(count, named(count, immutable=True)) for count in CLUSTERS}
    print('Figure 9: a decision by the number of other clusters\n'
          f'{"clusters":>8}{"us":>8}')
    for count, value in took.items():
        print(f'{count:>8}{value:>8.0f}')
    print('the paper: some 10 ms, and more with more clusters\n')
    return took[3]


def figure_12(decision):
    """Print the overhead of a decision of these microseconds, and of agents and dispatchers."""
    print('Figure 12(a): reads that come to a worker at once, three other clusters\n'
          f'{"reads":>8}{"mean ms":>10}{"last ms":>10}')
    decide = early_decision(3, named(3, immutable=True))
    for count in AT_ONCE:
        print(f'{count:>8}' + ''.join(f'{value:>10.2f}' for value in at_once(count, decide)))
    print('the paper: some 10 ms, and 80 ms on the way to its HCS, slowly more with more requests\n'
          '\nFigure 12(b): % of a core')
    for count in (2, 10):
        print(f'an agent, {count} clusters of {AGENTS} agents{agent(count):>8.2%}')
    print(f'a worker, {READS} decisions a second{decision * READS / 1e6:>12.2%}\n'
          'the paper: under 1 % for the monitors, and for its HCS')


def at_once(count, decide):
    """Return (mean, last) ms until `decide()` has ended of `count` reads that come at once.

    Each is a green thread of this process, as in a worker; medians of TIMES repetitions.
    """
    pool, means, lasts = GreenPool(count), [], []

    def read(took, begin):
        decide()
        took.append(1000 * (monotonic() - begin))
    for _time in range(TIMES):
        took, begin = [], monotonic()
        for _read in range(count):
            pool.spawn_n(read, took, begin)
        pool.waitall()
        means.append(statistics.fmean(took))
        lasts.append(max(took))
    return statistics.median(means), statistics.median(lasts)


def agent(count):
    """Return the fraction of a core of the busiest agent of a cluster, one of `count`."""
    network = TimedNetwork([f'g0.c{number}' for number in range(count)], agents=AGENTS)
    for number in range(BEGIN + INTERVALS):
        if number in (0, BEGIN):
            network.begin()
        network.interval()
    return max(network.seconds.values()) / (INTERVALS * INTERVAL)


def main(_words):
    """Print the tables; return the exit status."""
    figure_8()
    figure_12(figure_9())
    return 0
