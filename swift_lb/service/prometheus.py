"""Metrics in Prometheus' text: tables of their names, and what they are at the moment."""
from prometheus_client import (
    CollectorRegistry,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily


class PrometheusText:
    """The text, made when it is asked for."""

    def __init__(self, prefix, counters, gauges, values):
        """`counters` and `gauges` are {name: (its labels, what it says)}.

        `values()` returns {name: [(the values of its labels, the number)]}.
        """
        self._prefix, self._values = prefix, values
        self._tables = (counters, CounterMetricFamily), (gauges, GaugeMetricFamily)
        self._registry = CollectorRegistry()
        self._registry.register(self)
        ProcessCollector(registry=self._registry)
        PlatformCollector(registry=self._registry)

    def __call__(self):
        """Return the text, as bytes."""
        return generate_latest(self._registry)

    def describe(self):
        """Return nothing: names need not be known before they are asked for."""
        return []

    def collect(self):
        """Yield a family of each metric, as prometheus_client asks for them."""
        values = self._values()
        for table, kind in self._tables:
            for name, (labels, text) in table.items():
                family = kind(self._prefix + name, text, labels=labels)
                for label, value in values[name]:
                    family.add_metric(label, value)
                yield family
