"""Where a vault lies, as far as that decides what can go wrong: synced, remote, read-only folders."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path, PurePath
from typing import Final, NamedTuple

_CLOUD_NAMES: Final = (
    # (pattern for one folder's name, service)
    (r"Mobile Documents|iCloud ?Drive(?: .*)?|com~apple~CloudDocs", "iCloud Drive"),
    (r"Dropbox(?: \(.*\))?|Dropbox-.*", "Dropbox"),
    (r"OneDrive(?: ?- ?.*)?|SkyDrive", "OneDrive"),
    (r"Google ?Drive(?:-.*)?|My Drive", "Google Drive"),
    (r"Nextcloud\d?(?: .*)?|Nextcloud-.*", "Nextcloud"),
    (r"ownCloud\d?(?: .*)?|ownCloud-.*", "ownCloud"),
    (r"Box Sync|Box-Box|Box", "Box"),
    (r"pCloud ?Drive|pCloud ?Sync", "pCloud"),
    (r"MEGA(?:sync)?", "MEGA"),
    (r"Proton ?Drive(?:-.*)?", "Proton Drive"),
    (r"Seafile|SeaDrive", "Seafile"),
    (r"Yandex\.Disk", "Yandex Disk"),
)
_CLOUD_PATTERNS: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), service) for pattern, service in _CLOUD_NAMES
)

_MARKERS: Final = (
    (".stfolder", "Syncthing"),
    (".dropbox.cache", "Dropbox"),
    (".dropbox", "Dropbox"),
    (".nextcloudsync.log", "Nextcloud"),
    (".owncloudsync.log", "ownCloud"),
    (".sync/ID", "Resilio Sync"),
    (".seafile-data", "Seafile"),
    (".tmp.drivedownload", "Google Drive"),
    (".tmp.driveupload", "Google Drive"),
)

_NETWORK_TYPE: Final = re.compile(
    r"""nfs4?|cifs|smb3?|smbfs|afpfs|afs|ncpfs|webdav|davfs|coda|9p
      | ceph|glusterfs|lustre|gpfs|beegfs|orangefs|ocfs2|rclone
      | vboxsf|vmhgfs|prl_fs|drvfs|virtiofs
      | fuse\.(?:sshfs|rclone|s3fs|gcsfuse|davfs2|glusterfs|ceph|vmhgfs-fuse|onedriver|osxfs|grpcfuse
          |google-drive-ocamlfuse|curlftpfs|juicefs|seadrive)
    """,
    re.VERBOSE,
)


class Mount(NamedTuple):
    """One line of a mount table."""

    point: str
    type: str


def cloud_service(folder: Path) -> str | None:
    """The service that keeps the folder in sync, told by names and marker files upward; None if none shows.

    A hint for a person: a folder may be called Dropbox and be none.
    """
    return service_by_marker(folder) or service_by_name(folder)


def service_by_name(folder: PurePath) -> str | None:
    """The sync service that the name of the folder or one above it points to, the innermost first."""
    for part in reversed(folder.parts):
        for pattern, service in _CLOUD_PATTERNS:
            if pattern.fullmatch(part):
                return service
    return None


def service_by_marker(folder: Path) -> str | None:
    """The sync service whose marker lies in the folder or one above it, the innermost first."""
    for place in (folder, *folder.parents):
        for marker, service in _MARKERS:
            if os.path.lexists(place / marker):
                return service
    return None


def mount_of(folder: str, mounts: str) -> Mount | None:
    """The mount that a folder (absolute, links resolved) lies on, by the text of ``/proc/mounts``.

    None when no line fits. The last line wins among equal mount points, as it lies on top.
    """
    best: Mount | None = None
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        mount = Mount(_unescaped(fields[1]), fields[2])
        if _holds(mount.point, folder) and (best is None or len(mount.point) >= len(best.point)):
            best = mount
    return best


def network_file_system(folder: str, mounts: str) -> str | None:
    """The type of the network (or shared-folder) file system the folder lies on; None for a local disk.

    Locks and memory maps, on which SQLite's log relies, cannot be trusted there.
    """
    mount = mount_of(folder, mounts)
    return mount.type if mount and _NETWORK_TYPE.fullmatch(mount.type) else None


def read_mounts() -> str:
    """The system's mount table; ``""`` where there is none to read."""
    try:
        return Path("/proc/mounts").read_text("utf-8", "surrogateescape")
    except OSError:
        return ""


def is_network_folder(folder: Path) -> str | None:
    """What ``network_file_system`` says on this machine; on Windows a UNC path or mapped drive is ``smb``.

    macOS has no mount table to read, so there it is always None.
    """
    real = os.path.realpath(folder)
    if sys.platform == "win32":
        import ctypes

        drive = os.path.splitdrive(real)[0]
        remote = ctypes.windll.kernel32.GetDriveTypeW(f"{drive}\\") == 4
        return "smb" if drive.startswith("\\\\") or remote else None
    return network_file_system(real, read_mounts())


def is_writable(folder: Path) -> bool:
    """Whether files may be made in the folder, or in the nearest one above it that exists."""
    place = folder
    while not os.path.lexists(place) and place != place.parent:
        place = place.parent
    effective = os.access in os.supports_effective_ids
    return place.is_dir() and os.access(place, os.W_OK | os.X_OK, effective_ids=effective)


def _holds(point: str, folder: str) -> bool:
    return folder == point or folder.startswith(point.rstrip("/") + "/")


def _unescaped(field: str) -> str:
    """Undoes the octal escapes (``\\040`` for a blank) of a mount table."""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), field)
