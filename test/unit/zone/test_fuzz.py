"""Malformed queries do no harm; test/bench/dns_fuzz.py sends a million."""
import pytest
from support.dns_fuzz import FAULTS, Fuzz


@pytest.mark.parametrize('seed', range(4))
def test_mutated_queries_cause_no_faulty_answer(seed):
    fuzz = Fuzz(seed)
    fuzz.run(5000)
    assert [] == fuzz.examples
    assert dict.fromkeys(FAULTS, 0) == fuzz.faults
    assert fuzz.answered > 2500
    assert {'NOERROR', 'FORMERR', 'NOTIMP', 'NXDOMAIN', 'REFUSED', 'BADVERS', 'NOTAUTH'} == {
        *fuzz.rcodes}
