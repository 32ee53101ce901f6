"""What a client has already is found before anything is made for it."""
from types import SimpleNamespace

import pytest

from swift_lb.chains.chain import COEFFICIENTS_TYPE, D2, D3, D4, PNG, Task, Work
from swift_lb.chains.jpeg2000 import CHAIN
from swift_lb.dispatch.points import PointCost
from swift_lb.proxy.image.answers import etag_of, part_answer, unchanged
from swift_lb.proxy.image.parts import Part
from swift_lb.proxy.image.reader import ObjectHead

PIXELS, CUT = 'a1' * 32, 'b2' * 32
ASKED = SimpleNamespace(chain=CHAIN, region=(0, 0, 2, 2), task=Task(),
                        keys={(D4, PNG): PIXELS, (D2, ''): CUT})
COSTS = [PointCost(Work(D4, PNG, 90, 1, 40, 9, 0, 4), 0, 0, 0, 0)]


@pytest.mark.parametrize('text', ['*', etag_of(PIXELS), f'W/"1", {etag_of(PIXELS)}'])
def test_a_part_that_the_client_has_is_not_made(text):
    part = unchanged({'HTTP_IF_NONE_MATCH': text}, ASKED, COSTS)
    assert (part.point, part.key, part.kept) == (D4, PIXELS, True)


@pytest.mark.parametrize('text', ['', etag_of(CUT), PIXELS])
def test_another_part_is(text):
    assert unchanged({'HTTP_IF_NONE_MATCH': text}, ASKED, COSTS) is None
    assert unchanged({'HTTP_IF_NONE_MATCH': etag_of(PIXELS)}, ASKED, []) is None


@pytest.mark.parametrize(('text', 'status'), [
    (None, 200), ('*', 200), ('"0bject"', 200), (etag_of(PIXELS), 200), ('"0lder"', 412)])
def test_if_match_has_the_etag_of_the_object_or_of_the_part(text, status):
    started, env = [], {} if text is None else {'HTTP_IF_MATCH': text}
    body = part_answer(None, env, lambda *answer: started.append(answer), ASKED,
                       Part(D4, PIXELS, b'\x89PNG'), ObjectHead({'Etag': '0bject'}))
    assert int(started[0][0][:3]) == status
    assert b''.join(body) == (b'\x89PNG' if status == 200 else b'')


@pytest.mark.parametrize(('part', 'kind'), [
    (Part(D2, CUT, b'\xff\x4f'), 'image/j2c'), (Part(D3, CUT, b''), COEFFICIENTS_TYPE),
    (Part(D4, PIXELS, b'P6\n'), 'image/x-portable-pixmap'),
    (Part(D4, PIXELS, b'GIF89a'), 'application/octet-stream')])
def test_a_part_has_the_media_type_of_its_point_and_chain(part, kind):
    assert part.content_type(CHAIN) == kind
