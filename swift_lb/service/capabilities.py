"""Drop the Linux capabilities of a process, capabilities(7): the parts of root's power."""
import ctypes

from swift_lb.service.c_library import LIBRARY, fault

VERSION = 0x20080522        # _LINUX_CAPABILITY_VERSION_3: two words of 32 bits a set
SETS = 3                    # effective, permitted, inheritable


def drop_capabilities():
    """Give up all capabilities for good; raises OSError. The ambient ones go with the permitted.

    It holds for the calling thread and for what it starts later, processes and threads.
    """
    this_thread = (ctypes.c_uint32 * 2)(VERSION, 0)
    if LIBRARY.capset(this_thread, (ctypes.c_uint32 * (2 * SETS))()):
        raise fault()
