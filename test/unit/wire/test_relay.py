"""Addresses at which other clusters reach proxies: which texts are one, and what they mean."""
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.wire.hop import Hop, encode
from swift_lb.wire.relay import HTTPS, RelayAddress, relay_address, without_scheme


@pytest.mark.parametrize(('text', 'address', 'spelling'), [
    ('198.18.1.1:80', ('198.18.1.1', 80, False), None),
    ('[2001:DB8::0:1]:80', ('2001:db8::1', 80, False), '[2001:db8::1]:80'),
    ('https://[2001:db8::1]:443', ('2001:db8::1', 443, True), None),
    ('https://198.18.1.1:443', ('198.18.1.1', 443, True), None),
    ('https://UCSB.example:0443', ('ucsb.example', 443, True), 'https://ucsb.example:443'),
    ('https://ucsb:443', ('ucsb', 443, True), None)])
def test_an_address_is_an_ip_or_with_tls_a_name_too(text, address, spelling):
    assert address == relay_address(text)
    assert relay_address(text).is_elsewhere
    assert (spelling or text) == relay_address(text).text


@pytest.mark.parametrize('text', [
    '', 'ucsb.example:80', 'https://ucsb.example', 'https://ucsb.example:0', '10.0.0.1:65536',
    'http://10.0.0.1:80', 'https://ucsb.example:443/', 'https://u@ucsb.example:443',
    'https://-a.example:443', 'https://a..example:443', 'https://a_b.example:443',
    'https://127.1:443', 'https://0x7f000001:443', 'https://2130706433:443', '[10.0.0.1:80',
    'https://' + 'a' * 64 + ':443', 'HTTPS://ucsb.example:443', '10.0.0.1:80\n'])
def test_other_texts_and_names_that_resolvers_take_for_an_ip_are_refused(text):
    with pytest.raises(ValueError, match=r' is no address| has no port|does not appear to be'):
        relay_address(text)


@pytest.mark.parametrize('host', [
    '127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', '169.254.169.254', '224.0.0.1',
    'localhost', 'a.LOCALHOST'])
def test_an_address_of_every_host_itself_is_not_elsewhere(host):
    assert not relay_address(f'https://{host}:80').is_elsewhere


@given(st.builds(RelayAddress,
                 st.ip_addresses().map(str) | st.from_regex(
                     r'[a-z][a-z0-9]{0,9}(\.[a-z][a-z0-9]{0,9}){0,3}', fullmatch=True),
                 st.integers(1, 65535), st.just(True)))
def test_each_address_has_one_text_which_a_hop_can_name(address):
    assert address == relay_address(address.text)
    assert address.text.startswith(HTTPS)
    hop = Hop('n', without_scheme(address.text), 1.5, '0' * 16, '::1', '1', 'http', '', False)
    assert encode(b'key', hop, 'GET', '/')
