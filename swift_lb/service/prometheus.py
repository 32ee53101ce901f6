"""Metrics in Prometheus' text format, of tables of names and a function that returns values."""
from prometheus_client import (
    CollectorRegistry,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily


class PrometheusText:
    """The text of all metrics; each call makes it of the current values."""

    def __init__(self, prefix, counters, gauges, values):
        """`counters` and `gauges` are {name: (names of its labels, help text)}.

        `values()` returns {name: [(values of its labels, number), ...]}.
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
        """Return nothing, so that registering this collector does not call `values`."""
        return []

    def collect(self):
        """Yield the family of each metric; prometheus_client calls this."""
        values = self._values()
        for table, kind in self._tables:
            for name, (labels, text) in table.items():
                family = kind(self._prefix + name, text, labels=labels)
                for label, value in values[name]:
                    family.add_metric(label, value)
                yield family
