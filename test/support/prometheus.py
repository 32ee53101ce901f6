"""Prometheus' text, parsed as Prometheus does."""
from prometheus_client.parser import text_string_to_metric_families


def families(text, prefix, counters, gauges):
    """Return {name without `prefix`: metric family}; fail unless all are in the two tables."""
    parsed = {family.name.removeprefix(prefix): family
              for family in text_string_to_metric_families(text) if family.name.startswith(prefix)}
    assert set(parsed) == {*counters, *gauges}
    for name, family in parsed.items():
        labels, description = (counters | gauges)[name]
        assert family.type == ('counter' if name in counters else 'gauge')
        assert family.documentation == description
        assert all(set(sample.labels) == set(labels) for sample in family.samples)
    return parsed
