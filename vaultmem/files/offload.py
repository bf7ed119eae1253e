"""Files that exist but whose bytes are in the cloud: reading them would fetch, writing would destroy (F-10)."""

from __future__ import annotations

import errno
import os
import stat
import sys
from typing import Final

STUB_ENDING: Final = ".icloud"
"""iCloud Drive's stub for ``Name.md`` is ``.Name.md.icloud``."""

_SF_DATALESS: Final = 0x40000000  # macOS: the file provider holds the bytes
_UF_COMPRESSED: Final = 0x20  # macOS: the bytes are in an attribute, so no blocks are no sign
_WINDOWS_ELSEWHERE: Final = (
    0x1000  # FILE_ATTRIBUTE_OFFLINE
    | 0x40000  # FILE_ATTRIBUTE_RECALL_ON_OPEN
    | 0x400000  # FILE_ATTRIBUTE_RECALL_ON_DATA_ACCESS
)


def stub_target(name: str) -> str | None:
    """The file name that a cloud stub stands for; None for any other name.

    >>> stub_target(".Reef.md.icloud")
    'Reef.md'
    """
    if name.startswith(".") and name.endswith(STUB_ENDING):
        return name[1 : -len(STUB_ENDING)] or None
    return None


if sys.platform == "win32":

    def may_be_offloaded(status: os.stat_result) -> bool:
        """Whether the file system says that the bytes are elsewhere."""
        return status.st_file_attributes & _WINDOWS_ELSEWHERE != 0

elif sys.platform == "darwin":

    def may_be_offloaded(status: os.stat_result) -> bool:
        """Whether the file system says that the bytes are elsewhere."""
        if status.st_flags & _SF_DATALESS:
            return True
        return not status.st_blocks and status.st_size > 0 and not status.st_flags & _UF_COMPRESSED

else:

    def may_be_offloaded(status: os.stat_result) -> bool:
        """Whether the file has a size but no blocks; ``is_offloaded`` makes sure."""
        return not status.st_blocks and status.st_size > 0


def is_offloaded(path: str | bytes, status: os.stat_result) -> bool:
    """Whether the regular file at ``path`` with this status has its bytes elsewhere; reads none of them.

    On Linux some file systems keep a small file inside its directory entry and count no blocks for it, so
    there the file is asked whether it holds any data. When it cannot be asked, its bytes count as elsewhere,
    which costs an update and never a note.
    """
    if not may_be_offloaded(status):
        return False
    if sys.platform != "linux":
        return True
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return True
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return False
        os.lseek(descriptor, 0, os.SEEK_DATA)
    except OSError as error:
        return error.errno == errno.ENXIO  # nothing but a hole; any other answer knows of no holes
    finally:
        os.close(descriptor)
    return False
