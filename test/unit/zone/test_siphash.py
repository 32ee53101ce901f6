"""SipHash in Python: its authors' vectors, and the hashes and cookies of the package in C."""
import os
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.zone import cookie, siphash

ROOT = Path(__file__).resolve().parents[3]
KEY = bytes(range(16))
KEYS = st.binary(min_size=16, max_size=16)
ADDRESSES = st.ip_addresses().map(lambda address: address.packed)
COOKIES = st.binary(min_size=8, max_size=8) | st.binary(min_size=16, max_size=40)
# RFC 9018, A.1, where siphash24 cannot be imported
WITHOUT = '''
import sys
sys.modules['siphash24'] = None
from swift_lb.zone.cookie import Cookies
print(Cookies([bytes.fromhex('e5e973e5a6b2a43f48e7dc849e37bfcf')]).answer(
    bytes.fromhex('2464c4abcf10c957'), bytes([198, 51, 100, 100]), 1559731985)[0].hex())
'''


@pytest.mark.parametrize(('length', 'result'), [
    (0, '310e0edd47db6f72'), (1, 'fd67dc93c539f874'), (7, '37d1018bf50002ab'),
    (8, '6224939a79f5f593'), (15, 'e545be4961ca29a1'), (63, '724506eb4c328a95')])
@pytest.mark.parametrize('function', [siphash.siphash, siphash.in_python])
def test_hashes_equal_the_vectors_of_the_authors(function, length, result):
    assert result == function(bytes(range(length)), KEY).hex()


@given(st.binary(max_size=600), KEYS)
def test_both_implementations_compute_the_same_hash(message, key):
    assert siphash.siphash(message, key) == siphash.in_python(message, key)


@given(KEYS, COOKIES, ADDRESSES, st.integers(0, 2**34))
def test_both_implementations_make_and_accept_the_same_cookies(key, query, address, now):
    reply, good = cookie.Cookies((key,)).answer(query, address, now)
    with patch.object(cookie, 'siphash', siphash.in_python):
        assert (reply, good) == cookie.Cookies((key,)).answer(query, address, now)
        assert (reply, True) == cookie.Cookies((key,)).answer(reply, address, now)


def test_cookies_are_made_without_the_package_in_c():
    assert siphash.siphash24 is not None        # else nothing here was compared
    done = subprocess.run([sys.executable, '-c', WITHOUT], env=os.environ | {
        'PYTHONPATH': str(ROOT)}, capture_output=True, text=True, check=True)
    assert done.stdout == '2464c4abcf10c957010000005cf79f111f8130c3eee29480\n'
