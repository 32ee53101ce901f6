"""DNS cookies: byte for byte those of RFC 9018, good on all nodes while secrets change."""
import itertools
from ipaddress import ip_address

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from swift_lb.zone.cookie import Cookies
from swift_lb.zone.siphash import siphash

SECRET = bytes.fromhex('e5e973e5a6b2a43f48e7dc849e37bfcf')          # of A.1 to A.3
BEFORE = bytes.fromhex('dd3bdf9344b678b185a6f5cb60fca715')          # of A.4, and what follows it
AFTER = bytes.fromhex('445536bcd2513298075a5d379663c962')
ADDRESS = ip_address('198.51.100.100').packed
MAPPED = ip_address('::ffff:198.51.100.100').packed
MADE = 1559731985
GOOD = bytes.fromhex('2464c4abcf10c957010000005cf79f111f8130c3eee29480')     # made then, for there

SECRETS = st.binary(min_size=16, max_size=16)
CLIENTS = st.binary(min_size=8, max_size=8)
ADDRESSES = st.ip_addresses().map(lambda address: address.packed)
TIMES = st.integers(0, 2**34)


@pytest.mark.parametrize(('keys', 'client', 'now', 'query', 'reply', 'good'), [
    # A.1, learning a new server cookie
    ((SECRET,), '198.51.100.100', 1559731985, '2464c4abcf10c957',
     '2464c4abcf10c957010000005cf79f111f8130c3eee29480', False),
    # A.2, the same client learning a renewed one: 40 minutes later
    ((SECRET,), '198.51.100.100', 1559734385, '2464c4abcf10c957010000005cf79f111f8130c3eee29480',
     '2464c4abcf10c957010000005cf7a871d4a564a1442aca77', True),
    # A.3, another client, with reserved bytes that are not 0: 1 h 52 min later, which is too old
    ((SECRET,), '203.0.113.203', 1559734700, 'fc93fc62807ddb8601abcdef5cf78f71a314227b6679ebf5',
     'fc93fc62807ddb86010000005cf7a9acf73a7810aca2381e', False),
    # and when it was made: good, and returned as it is
    ((SECRET,), '203.0.113.203', 1559727985, 'fc93fc62807ddb8601abcdef5cf78f71a314227b6679ebf5',
     'fc93fc62807ddb8601abcdef5cf78f71a314227b6679ebf5', True),
    # A.4, IPv6, the secret was changed between: good, and renewed though it is 144 s old
    ((AFTER, BEFORE), '2001:db8:220:1:59de:d0f4:8769:82b8', 1559741961,
     '22681ab97d52c298010000005cf7c57926556bd0934c72f8',
     '22681ab97d52c298010000005cf7c609a6bb79d16625507a', True),
], ids=['A.1', 'A.2', 'A.3', 'A.3 when it was made', 'A.4'])
def test_cookies_equal_the_test_vectors_of_rfc_9018(keys, client, now, query, reply, good):
    answer = Cookies(keys).answer(bytes.fromhex(query), ip_address(client).packed, now)
    assert (bytes.fromhex(reply), good) == answer


@pytest.mark.parametrize(('age', 'good', 'same'), [
    (0, True, True), (1799, True, True), (1800, True, False), (3600, True, False),
    (3601, False, False), (-300, True, True), (-301, False, False), (2**31, False, False)])
def test_a_cookie_is_renewed_after_30_min_and_invalid_after_1_h(age, good, same):
    reply, result = Cookies((SECRET,)).answer(GOOD, ADDRESS, MADE + age)
    assert (good, same) == (result, reply == GOOD)


@given(st.integers(0, 3600), st.integers(0, 300))
def test_a_cookie_is_valid_when_its_32_bit_time_overflows(later, earlier):
    cookies = Cookies((SECRET,))
    for made, now in ((2**32 - 1, 2**32 - 1 + later), (2**32, 2**32 - earlier)):
        option, _good = cookies.answer(GOOD[:8], ADDRESS, made)
        assert cookies.answer(option, ADDRESS, now)[1]


@given(SECRETS, CLIENTS, ADDRESSES, TIMES)
def test_a_fresh_cookie_is_valid_and_returned_unchanged(secret, client, address, now):
    cookies = Cookies((secret,))
    option, good = cookies.answer(client, address, now)
    assert (24, client, False) == (len(option), option[:8], good)
    assert (option, True) == cookies.answer(option, address, now)


@given(st.integers(0, 23), st.integers(1, 255))
def test_any_flipped_bit_invalidates_a_cookie(place, bits):
    option = bytearray(GOOD)
    option[place] ^= bits
    assert not Cookies((SECRET,)).answer(bytes(option), ADDRESS, MADE)[1]


def test_a_cookie_of_another_version_is_invalid():
    begin = GOOD[:8] + b'\2' + GOOD[9:16]
    option = begin + siphash(begin + ADDRESS, SECRET)
    assert not Cookies((SECRET,)).answer(option, ADDRESS, MADE)[1]


@given(ADDRESSES)
@example(MAPPED)
def test_a_cookie_is_invalid_for_another_clients_address(address):
    good = Cookies((SECRET,)).answer(GOOD, address, MADE)[1]
    assert good == (address in (ADDRESS, MAPPED))


@given(st.binary(min_size=16, max_size=40), TIMES)
def test_a_cookie_that_no_node_made_is_replaced_by_a_valid_one(option, now):
    reply, good = Cookies((SECRET, BEFORE)).answer(option, ADDRESS, now)
    assert not good
    assert (reply, True) == Cookies((SECRET,)).answer(reply, ADDRESS, now)


def test_cookies_stay_valid_while_the_secrets_are_changed():
    stages = [(BEFORE,), (BEFORE, AFTER), (AFTER, BEFORE)]      # of two nodes, one a stage ahead
    for one, other in itertools.pairwise(stages):
        for makes, hears in ((one, other), (other, one)):
            option, _good = Cookies(makes).answer(GOOD[:8], ADDRESS, MADE)
            assert Cookies(hears).answer(option, ADDRESS, MADE + 1)[1]
    option, _good = Cookies((BEFORE,)).answer(GOOD[:8], ADDRESS, MADE)
    assert not Cookies((AFTER,)).answer(option, ADDRESS, MADE)[1]       # once BEFORE is removed
