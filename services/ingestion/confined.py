"""Take the rights to write, execute and use the network from a process that opens a file.

On Linux by Landlock (kernel 5.13; TCP from 6.7, https://docs.kernel.org/userspace-api/landlock.html)
and by a separate network namespace, if the system allows one. Elsewhere only the limits of time and
memory remain.
"""

import ctypes
import struct
import sys
from typing import Final

_CREATE_RULESET: Final = 444
_RESTRICT_SELF: Final = 446
_ONLY_VERSION: Final = 1
_NO_NEW_PRIVILEGES: Final = 38
_NEW_USER_AND_NETWORK: Final = 0x10000000 | 0x40000000
_READING: Final = 0b1100
"""Reading files and folders stays allowed: fonts, modules that a parser loads late, the file."""
_FILE_RIGHTS: Final = {1: 13, 2: 14, 3: 15, 5: 16}
"""How many rights on files a version of Landlock knows, from the one that added some."""


def confine() -> bool:
    """Restrict this process to reading; open files stay open.

    Returns:
        Whether the kernel has taken the right to write.
    """
    if sys.platform != "linux":
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    libc.unshare(_NEW_USER_AND_NETWORK)
    version = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _ONLY_VERSION)
    if version < 1:
        return False
    rights = max(count for since, count in _FILE_RIGHTS.items() if since <= version)
    files, network, scoped = (1 << rights) - 1 & ~_READING, 0b11, 0b11
    fields = 1 if version < 4 else 2 if version < 6 else 3  # of these, by the version
    ruleset = struct.pack("3Q", files, network, scoped)[: 8 * fields]
    rules = libc.syscall(_CREATE_RULESET, ruleset, ctypes.c_size_t(len(ruleset)), 0)
    if rules < 0 or libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        return False
    return bool(libc.syscall(_RESTRICT_SELF, rules, 0) == 0)
