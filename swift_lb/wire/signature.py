"""Who may speak: bytes signed with a key that all nodes have, HMAC-SHA256 (RFC 2104). Pure.

    signed = MAGIC, 32 bytes of HMAC over MAGIC and the rest, the rest

Two keys hold while they are being changed: the first signs, both are good.
"""
import hashlib
import hmac

MAGIC = b'slb1'
LENGTH = hashlib.sha256().digest_size


def sign(key, payload):
    """Return `payload` signed with `key`; bytes all."""
    return MAGIC + hmac.digest(key, MAGIC + payload, 'sha256') + payload


def verified(keys, signed):
    """Return the payload of what is signed with one of `keys`, None of anything else."""
    if signed[:len(MAGIC)] != MAGIC:
        return None
    said, payload = signed[len(MAGIC):len(MAGIC) + LENGTH], signed[len(MAGIC) + LENGTH:]
    for key in keys:
        if hmac.compare_digest(said, hmac.digest(key, MAGIC + payload, 'sha256')):
            return payload
    return None
