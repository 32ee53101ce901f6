"""Nothing altered, forged or replayed is accepted; test/bench/cluster_fuzz.py makes a million."""
import pytest
from support.cluster_fuzz import FAULTS, ClusterFuzz


@pytest.mark.parametrize('seed', range(4))
def test_altered_forged_and_replayed_inputs_raise_nothing_and_are_refused(seed):
    fuzz = ClusterFuzz(seed)
    fuzz.run(8000)
    assert [] == fuzz.examples
    assert dict.fromkeys(FAULTS, 0) == fuzz.faults
    assert min(fuzz.refused[kind] for kind in ('altered', 'replayed', 'forged', 'lb_from')) > 500
    assert fuzz.taken > 50
