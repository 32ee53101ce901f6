"""Which nodes speak for their cluster to another one."""
from swift_lb.plan.speakers import speakers


def test_two_nodes_speak_and_the_next_takes_the_place_of_a_missing_one():
    first = speakers('b', ['n0', 'n1', 'n2', 'n3'])
    assert 2 == len(first)
    rest = [name for name in ('n0', 'n1', 'n2', 'n3') if name != first[0]]
    assert first[1] == speakers('b', rest)[0]
    assert ['n0'] == speakers('b', ['n0'])
    assert 1 < len({tuple(speakers(f'c{number}', ['n0', 'n1', 'n2'])) for number in range(20)})
