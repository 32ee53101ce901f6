"""Metrics in Prometheus' text format, parsed by Prometheus' own client library."""
from prometheus_client.parser import text_string_to_metric_families


def families(text, prefix, counters, gauges):
    """Return {name without `prefix`: metric family} of `text`, whose names begin with `prefix`.

    `counters` and `gauges`, {name: (labels, description)}, must have exactly these families.
    """
    parsed = {family.name.removeprefix(prefix): family
              for family in text_string_to_metric_families(text) if family.name.startswith(prefix)}
    assert set(parsed) == {*counters, *gauges}
    for name, family in parsed.items():
        labels, description = (counters | gauges)[name]
        assert family.type == ('counter' if name in counters else 'gauge')
        assert family.documentation == description
        assert all(set(sample.labels) == set(labels) for sample in family.samples)
    return parsed
