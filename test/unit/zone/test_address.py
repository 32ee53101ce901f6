"""A client's address as bytes: any text of one, and nothing else."""
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.zone.address import packed, unmapped


@given(st.ip_addresses())
def test_an_address_is_packed_as_ipaddress_packs_it(address):
    assert unmapped(address.packed) == packed(str(address))


@pytest.mark.parametrize(('ip', 'expected'), [
    ('192.0.2.1', IPv4Address('192.0.2.1')),
    ('::ffff:192.0.2.1', IPv4Address('192.0.2.1')),
    ('::FFFF:c000:201', IPv4Address('192.0.2.1')),
    ('::192.0.2.1', IPv6Address('::192.0.2.1')),
    ('fe80::1%eth0', IPv6Address('fe80::1'))])
def test_ipv4_mapped_addresses_and_ipv6_scopes_are_normalised(ip, expected):
    assert expected.packed == packed(ip)


@pytest.mark.parametrize('ip', [
    '', '.', ':', ':::', 'localhost', '192.0.2', '192.0.2.1.1', '192.0.2.256', '192.0.2.-1',
    '192.0..1', '2001:db8', '1:2:3:4:5:6:7:8:9', '::g', '9' * 10_000, '\ud800', ':\ud800', '\0'])
def test_text_that_is_no_address_is_refused(ip):
    with pytest.raises(ValueError):     # noqa: PT011 - the codec's own, or int's
        packed(ip)


@given(st.text())
def test_any_text_is_packed_or_raises_valueerror(ip):
    with suppress(ValueError):
        assert len(packed(ip)) in (4, 16)
