"""Metrics in Prometheus' text format, from tables of names and a function that returns values."""
from prometheus_client import (
    CollectorRegistry,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily


class PrometheusText:
    """A callable that returns all metrics, with their current values, as Prometheus' text."""

    def __init__(self, prefix, counters, gauges, values):
        """Take `counters` and `gauges`, {name: (names of its labels, help text)}.

        `prefix` begins all names; `values()` returns {name: [(values of its labels, number), ...]}.
        """
        self._prefix, self._values = prefix, values
        self._tables = (counters, CounterMetricFamily), (gauges, GaugeMetricFamily)
        self._registry = CollectorRegistry()
        self._registry.register(self)
        ProcessCollector(registry=self._registry)
        PlatformCollector(registry=self._registry)

    def __call__(self):
        """Return the current values of all metrics as Prometheus' text, bytes."""
        return generate_latest(self._registry)

    def describe(self):
        """Return [], so that prometheus_client registers this collector without reading values."""
        return []

    def collect(self):
        """Yield a metric family of prometheus_client, which calls this, for each metric."""
        values = self._values()
        for table, kind in self._tables:
            for name, (labels, text) in table.items():
                family = kind(self._prefix + name, text, labels=labels)
                for label, value in values[name]:
                    family.add_metric(label, value)
                yield family
