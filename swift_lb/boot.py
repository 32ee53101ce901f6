"""Which boot of the host this is: the instants of its monotonic clock count from there."""
import uuid

BOOT_ID = '/proc/sys/kernel/random/boot_id'


def boot():
    """Return the UUID of this boot; raises OSError or ValueError where the kernel does not tell."""
    with open(BOOT_ID, encoding='ascii') as said:
        return uuid.UUID(said.read().strip())
