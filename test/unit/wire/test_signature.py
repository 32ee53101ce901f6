"""Payloads signed with a key that all nodes share, also while that key is being changed."""
import hashlib
import hmac
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.wire.signature import LENGTH, MAGIC, sign, verified

OLD, NEW, OTHER = b'the old key of all nodes', b'the new key of all nodes', b'the key of no node'


@given(st.binary(max_size=1200))
def test_the_payload_is_returned_if_its_signature_is_valid(payload):
    assert verified((OLD,), sign(OLD, payload)) == payload


def test_signature_is_hmac_sha256_of_magic_and_payload():
    expected = hmac.new(OLD, MAGIC + b'payload', hashlib.sha256).digest()
    assert sign(OLD, b'payload') == MAGIC + expected + b'payload'


def test_keys_can_be_changed_without_a_refused_report():
    stages = [(OLD,), (OLD, NEW), (NEW, OLD), (NEW,)]       # the first signs
    for before, after in itertools.pairwise(stages):
        for speaks, hears in ((before, after), (after, before)):
            assert verified(hears, sign(speaks[0], b'report')) == b'report'


@pytest.mark.parametrize('keys', [(), (NEW,), (NEW, OTHER)])
def test_a_payload_signed_with_another_key_is_refused(keys):
    assert verified(keys, sign(OLD, b'report')) is None


@pytest.mark.parametrize('data', [
    b'', b's', MAGIC, MAGIC + b'x' * (LENGTH - 1), MAGIC + b'x' * LENGTH,
    sign(OLD, b'report')[len(MAGIC):], b'slb2' + sign(OLD, b'report')[len(MAGIC):],
    sign(OLD, b'report')[:-1], sign(OLD, b'report') + b' ', sign(OLD, b'')[:-1]])
def test_truncated_payloads_and_other_versions_are_refused(data):
    assert verified((OLD,), data) is None


@given(st.binary(min_size=1, max_size=64), st.integers(0, 10**6), st.integers(1, 255))
def test_a_flipped_bit_makes_a_signature_invalid(payload, place, bits):
    data = bytearray(sign(OLD, payload))
    data[place % len(data)] ^= bits
    assert verified((OLD,), bytes(data)) is None


@given(st.binary(max_size=64), st.binary(max_size=64), st.integers(0, 100), st.integers(0, 100))
def test_a_splice_of_two_signed_payloads_is_refused(payload, other, end, begin):
    signed = [sign(OLD, payload), sign(OLD, other)]
    parts = signed[0][:end] + signed[1][begin:]
    assert parts in signed or verified((OLD, NEW), parts) is None
