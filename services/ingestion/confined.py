"""Take the rights to write, execute and connect from a process that opens a file.

On Linux a filter of system calls (seccomp,
https://docs.kernel.org/userspace-api/seccomp_filter.html) leaves no socket, no new process and no
program, and Landlock (kernel 5.13, https://docs.kernel.org/userspace-api/landlock.html) leaves only
reading, also to root. On other processors a network namespace keeps the network away. Elsewhere
only the limits remain.
"""

import ctypes
import os
import struct
import sys
from typing import Final

_CREATE_RULESET: Final = 444
_RESTRICT_SELF: Final = 446
_ONLY_VERSION: Final = 1
_SET_SECCOMP: Final = 22
_NO_NEW_PRIVILEGES: Final = 38
_NEW_USER_AND_NETWORK: Final = 0x10000000 | 0x40000000
_READING: Final = 0b1100
"""Reading files and folders stays allowed: fonts, modules that a parser loads late, the file."""
_FILE_RIGHTS: Final = {1: 13, 2: 14, 3: 15, 5: 16}
"""How many rights on files a version of Landlock knows, from the one that added some."""
_CAPABILITIES: Final = struct.pack("Ii", 0x20080522, 0)
_READING_FILES_OF_OTHERS: Final = struct.pack("6I", 2, 2, 0, 0, 0, 0)
"""CAP_DAC_OVERRIDE, which root needs for that."""

_CALLS: Final = {
    "x86_64": (
        (0xC000003E, 56),
        (41, 53, 57, 58, 59, 62, 129, 200, 234, 272, 297, 308, 322, 424, 425),
    ),
    "aarch64": (
        (0xC00000B7, 220),
        (97, 129, 130, 131, 138, 198, 199, 221, 240, 268, 281, 424, 425),
    ),
}
"""By processor: its number and that of ``clone``, and those of the calls that are refused.

They are ``socket``, ``socketpair``, ``fork``, ``vfork``, ``execve``, ``execveat``, all that send a
signal, ``unshare``, ``setns``, and ``io_uring_setup``, by which sockets could be opened too.
"""
_CLONE3: Final = 435
_OTHER_NUMBERS: Final = 0x40000000
"""From here on, calls of x86-64 with numbers of their own (x32)."""
_THREAD: Final = 0x10000
_LOAD, _IF_EQUAL, _IF_LEAST, _IF_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _PROCESSOR, _ARGUMENT = 0, 4, 16  # offsets of what the filter reads
_ALLOWED, _REFUSED, _MISSING = 0x7FFF0000, 0x50000 | 1, 0x50000 | 38  # EPERM, ENOSYS


def confine() -> bool:
    """Restrict this process to reading; return whether the kernel has taken the right to write."""
    if sys.platform != "linux":
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    if not _refuse_calls(libc):
        libc.unshare(_NEW_USER_AND_NETWORK)
    if libc.capset(_CAPABILITIES, _READING_FILES_OF_OTHERS):  # it has not had that one
        libc.capset(_CAPABILITIES, bytes(len(_READING_FILES_OF_OTHERS)))
    version = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _ONLY_VERSION)
    if version < 1:
        return False
    rights = max(count for since, count in _FILE_RIGHTS.items() if since <= version)
    files, network, scoped = (1 << rights) - 1 & ~_READING, 0b11, 0b11
    fields = 1 if version < 4 else 2 if version < 6 else 3  # of these, by the version
    ruleset = struct.pack("3Q", files, network, scoped)[: 8 * fields]
    rules = libc.syscall(_CREATE_RULESET, ruleset, ctypes.c_size_t(len(ruleset)), 0)
    return rules >= 0 and bool(libc.syscall(_RESTRICT_SELF, rules, 0) == 0)


def _refuse_calls(libc: ctypes.CDLL) -> bool:
    """Refuse calls to connect, start and signal processes; return whether the kernel does."""
    machine = os.uname().machine
    if machine not in _CALLS or struct.calcsize("P") < 8:  # a 32-bit Python has other numbers
        return False
    program = ctypes.create_string_buffer(_filter(*_CALLS[machine]))
    pointer = struct.pack("HP", len(program) // 8, ctypes.addressof(program))
    return bool(libc.prctl(_SET_SECCOMP, 2, pointer) == 0)


def _filter(processor: tuple[int, int], calls: tuple[int, ...]) -> bytes:
    """Return a program of BPF: rows of operation, jumps if it holds and if not, and operand."""
    number, clone = processor
    steps = [
        *((_LOAD, 0, 0, _PROCESSOR), (_IF_EQUAL, 1, 0, number), (_RETURN, 0, 0, _REFUSED)),
        *((_LOAD, 0, 0, _NUMBER), (_IF_LEAST, 0, 1, _OTHER_NUMBERS), (_RETURN, 0, 0, _REFUSED)),
        # The C library then uses clone, whose flags can be read here.
        *((_IF_EQUAL, 0, 1, _CLONE3), (_RETURN, 0, 0, _MISSING)),
    ]
    for call in calls:
        steps += [(_IF_EQUAL, 0, 1, call), (_RETURN, 0, 0, _REFUSED)]
    steps += [(_IF_EQUAL, 0, 3, clone), (_LOAD, 0, 0, _ARGUMENT), (_IF_ANY_BIT, 1, 0, _THREAD)]
    steps += [(_RETURN, 0, 0, _REFUSED), (_RETURN, 0, 0, _ALLOWED)]
    return b"".join(struct.pack("HBBI", *step) for step in steps)
