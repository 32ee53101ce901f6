"""Keys: each part of what was computed changes the key of a step."""
from swift_lb.chains.cache.keys import CUT, INDEX, LENGTH, PIXELS, Source, request_key, step_key
from swift_lb.chains.chain import Chain, Region, Task

SOURCE = Source('AUTH_a', 'c', 'o', '0' * 32, '1700000000.00000')


class Second(Chain):
    """A chain with another version."""

    version = 1


def test_each_part_changes_the_key_of_a_step():
    others = [SOURCE._replace(**{name: 'x'}) for name in Source._fields]
    keys = [step_key(source, Chain, INDEX) for source in (SOURCE, *others)]
    keys += [step_key(SOURCE, Second, INDEX), step_key(SOURCE, Chain, CUT)]
    keys += [step_key(SOURCE, Chain, PIXELS, task, form)
             for task in (Task(), Task(Region(0, 0, 1, 1)), Task(Region(0, 0, 1, 1), 1))
             for form in ('png', 'raw')]
    assert len(set(keys)) == len(keys) == 14
    assert all(len(key) == LENGTH for key in keys)


def test_parts_do_not_run_into_each_other():
    assert step_key(SOURCE._replace(container='c/o', object='p'), Chain, INDEX) != step_key(
        SOURCE._replace(container='c', object='o/p'), Chain, INDEX)


def test_a_request_key_is_that_of_path_region_and_reduction():
    key = request_key('/v1/a/c/o', 'lb_region=0,0,5,5&lb_reduce=1')
    assert key == request_key('/v1/a/c/o', 'lb_form=raw&lb_reduce=1&lb_region=0%2C0%2C5%2C5')
    assert len({key, request_key('/v1/a/c/p', 'lb_region=0,0,5,5&lb_reduce=1'),
                request_key('/v1/a/c/o', 'lb_region=0,0,5,6&lb_reduce=1'),
                request_key('/v1/a/c/o', 'lb_region=0,0,5,5'),
                request_key('/v1/a/c/o', 'lb_reduce=1')}) == 5


def test_other_requests_have_no_key():
    assert [None] * 3 == [request_key('/v1/a/c/o', query)
                          for query in ('', 'multipart-manifest=get', 'prefix=lb_region')]
