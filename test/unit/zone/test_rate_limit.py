"""RRL, which limits DNS answers a second: only networks above the rate; bounded memory."""
import random
from collections import Counter
from ipaddress import ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.zone.rate_limit import DROP, MAX_NETWORKS, PASS, SLIP, RateLimit

IP = '192.0.2.1'
LOCAL = (ip_network('127.0.0.0/8'), ip_network('::1/128'))
GAPS = st.lists(st.one_of(st.just(0.0), st.floats(0.0, 0.3), st.floats(0.9, 1.1)), max_size=60)


def verdicts(limit, ips, now=7.0):
    """Return [PASS, SLIP or DROP]: the verdicts of `limit` on each of `ips`, all at `now`."""
    return [limit.verdict(ip, now) for ip in ips]


def times_of(gaps):
    """Return instants, in seconds, from 100 on; `gaps` are the seconds between them."""
    times = [100.0]
    for gap in gaps:
        times.append(times[-1] + gap)
    return times


def test_a_network_gets_as_many_answers_a_second_as_the_rate():
    limit = RateLimit(3, 0)
    for now in (7.0, 8.0, 9.5, 1000.0):
        assert [PASS] * 3 + [DROP] * 2 == verdicts(limit, [IP] * 5, now)
    assert [DROP] == verdicts(limit, [IP], 1000.99)


@pytest.mark.parametrize(('slip', 'expected'), [
    (0, [DROP] * 6), (1, [SLIP] * 6), (2, [DROP, SLIP] * 3), (3, [DROP, DROP, SLIP] * 2)])
def test_every_slip_th_limited_query_gets_a_truncated_answer(slip, expected):
    limit = RateLimit(2, slip)
    assert [PASS, PASS, *expected] == verdicts(limit, [IP] * 8)


@pytest.mark.parametrize(('same', 'other'), [
    (['192.0.2.1', '192.0.2.255', '::ffff:192.0.2.7', '::ffff:c000:209'], '192.0.3.1'),
    (['2001:db8:0:ff::1', '2001:db8::', '2001:DB8:0:1:2:3:4:5'], '2001:db8:0:100::1'),
    (['::1', '::2', '::192.0.2.1'], '0:0:0:100::'),
    (['fe80::1%eth0', 'fe80::2%eth0', 'fe80::3'], 'fe81::1')])
def test_a_network_is_a_24_bit_ipv4_or_56_bit_ipv6_prefix(same, other):
    limit = RateLimit(1, 0)
    assert [PASS] + [DROP] * (len(same) - 1) + [PASS] == verdicts(limit, [*same, other])


@pytest.mark.parametrize(('exempt', 'free', 'limited'), [
    (('127.0.0.0/8', '::1/128', '192.0.2.7/32', '2001:db8::/32'),
     ('127.0.0.1', '127.255.0.9', '::1', '::ffff:127.0.0.1', '192.0.2.7', '2001:db8:5::9'),
     ('126.255.255.255', '128.0.0.1', '::2', '192.0.2.6', '2001:db9::1')),
    (('::/0',), ('::1', '2001:db8::1'), (IP,))])
def test_exempt_networks_are_not_limited(exempt, free, limited):
    limit = RateLimit(1, 0, map(ip_network, exempt))
    assert {PASS} == set(verdicts(limit, free * 100))
    for ip in limited:
        assert [PASS, DROP] == verdicts(limit, [ip] * 2)


def test_a_rate_of_0_is_no_limit():
    assert {PASS} == set(verdicts(RateLimit(0, 1), [IP, '2001:db8::1'] * 5000))


@given(st.text())
def test_text_that_is_no_address_is_not_limited(ip):
    limit = RateLimit(1, 0)
    assert PASS == limit.verdict(ip + ' no address', 7.0)
    assert PASS == limit.verdict(ip + ' no address', 7.0)
    assert limit.verdict(ip, 7.0) == PASS


@given(st.integers(1, 5), GAPS)
def test_a_network_gets_at_most_twice_its_rate_in_any_second(rate, gaps):
    limit = RateLimit(rate, 1)
    passed = [now for now in times_of(gaps) if limit.verdict(IP, now) == PASS]
    for begin in passed:
        assert sum(0.0 <= now - begin < 1.0 for now in passed) <= 2 * rate


@given(st.integers(1, 5), GAPS)
def test_only_clients_that_ask_more_than_the_rate_are_limited(rate, gaps):
    limit, times = RateLimit(rate, 1), times_of(gaps)
    for now in times:
        if limit.verdict(IP, now) != PASS:
            assert sum(0.0 <= now - asked < 1.0 for asked in times) > rate


@given(st.integers(1, 4), st.integers(1, 4), GAPS)
def test_a_fraction_1_over_slip_of_limited_queries_is_answered(rate, slip, gaps):
    limit = RateLimit(rate, slip)
    counter = Counter(limit.verdict(IP, now) for now in times_of(gaps))
    assert (counter[SLIP] + counter[DROP]) // slip == counter[SLIP]


@given(GAPS, st.lists(st.sampled_from(['198.51.100.1', '2001:db8::1']), max_size=200))
def test_a_flood_from_one_network_does_not_limit_another(gaps, flood):
    alone, beside = RateLimit(3, 2), RateLimit(3, 2)
    for now in times_of(gaps):
        verdicts(beside, flood, now)
        assert alone.verdict(IP, now) == beside.verdict(IP, now)


def forged(rng):
    """Return a random address; one in eight is of IPv6."""
    a, b, c, d, version = rng.randbytes(5)
    return f'{a}.{b}.{c}.{d}' if version % 8 else f'2001:db8:{a:x}{b:02x}:{c:x}{d:02x}::1'


def test_a_flood_from_forged_addresses_takes_bounded_memory():
    rng, limit, refused, most = random.Random(6), RateLimit(200, 1, LOCAL), 0, 0
    for n in range(4 * MAX_NETWORKS):
        limit.verdict(forged(rng), n / 20_000)      # a flood of so many a second
        if n % 200 == 0:                            # and 100 a second of its own
            refused += limit.verdict(IP, n / 20_000) != PASS
            most = max(most, len(limit._of_ip), len(limit._of_network))
    assert refused == 0
    assert MAX_NETWORKS - 200 < most <= MAX_NETWORKS
