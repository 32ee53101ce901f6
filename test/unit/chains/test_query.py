"""What a query asks for, and how wrong parameters are refused."""
import pytest

from swift_lb.chains.chain import Region, Task
from swift_lb.chains.query import AskedPart, asked_part
from swift_lb.errors import ChainError


@pytest.mark.parametrize(('query', 'part'), [
    ('', None), ('format=json', None), ('lb_format=png', None), ('xlb_reduce=1', None),
    ('lb_reduce=2', AskedPart(Task(None, 2), '', '')),
    ('lb_region=1,2,3,4', AskedPart(Task(Region(1, 2, 3, 4), 0), '', '')),
    ('temp_url_sig=a%20b&lb_region=1%2C2,3,4&lb_reduce=0&lb_format=raw',
     AskedPart(Task(Region(1, 2, 3, 4), 0), 'raw', 'temp_url_sig=a%20b')),
    ('lb_re%64uce=1&a=%ff&flag', AskedPart(Task(None, 1), '', 'a=%ff&flag')),
    ('lb_reduce=2&lb_why=true', AskedPart(Task(None, 2), '', '', True)),
    ('lb_reduce=2&lb_why=false', AskedPart(Task(None, 2), '', ''))])
def test_query_names_a_region_a_reduction_and_a_form(query, part):
    assert asked_part(query) == part


@pytest.mark.parametrize(('query', 'sentence'), [
    ('lb_reduce=', 'lb_reduce= must be a number from 0 to 32'),
    ('lb_reduce=33', 'lb_reduce=33 must be'), ('lb_reduce=-1', 'lb_reduce=-1 must be'),
    ('lb_region=', 'lb_region= must be X,Y,WIDTH,HEIGHT, four whole numbers'),
    ('lb_region=1,2,3', 'lb_region=1,2,3 must'), ('lb_region=1,2,3,-4', 'lb_region=1,2,3,-4 must'),
    ('lb_region=1,2,0,4', 'lb_region=1,2,0,4: WIDTH and HEIGHT must be at least 1'),
    ('lb_region=1,2,3,4294967296', 'no image has so many pixels'),
    ('lb_region=1,2,3,99999999999', 'four whole numbers'),
    ('lb_reduce=1&lb_format=gif', 'lb_format=gif must be png or raw'),
    ('lb_reduce=1&lb_why=1', 'lb_why=1 must be true or false')])
def test_a_wrong_parameter_is_refused_with_400_and_a_sentence(query, sentence):
    with pytest.raises(ChainError, match=sentence.replace('(', '.')) as refused:
        asked_part(query)
    assert refused.value.status == '400 Bad Request'
