"""Where a vault lies: synced, remote or read-only folders."""

from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest

from vaultmem.files.places import (
    Mount,
    cloud_service,
    is_writable,
    mount_of,
    network_file_system,
    service_by_marker,
    service_by_name,
)


@pytest.mark.parametrize(
    ("folder", "service"),
    [
        ("/Users/x/Library/Mobile Documents/iCloud~md~obsidian/Documents/V", "iCloud Drive"),
        ("/Users/x/Library/CloudStorage/Dropbox/V", "Dropbox"),
        ("/Users/x/Library/CloudStorage/GoogleDrive-x@host.org/My Drive/V", "Google Drive"),
        ("/Users/x/Library/CloudStorage/OneDrive-Personal/V", "OneDrive"),
        ("/Users/x/Library/CloudStorage/ProtonDrive-x/V", "Proton Drive"),
        ("/home/x/Dropbox (Work)/V", "Dropbox"),
        ("/home/x/Nextcloud/V", "Nextcloud"),
        ("/home/x/nextcloud2/V", "Nextcloud"),
        ("/home/x/pCloudDrive/V", "pCloud"),
        ("/home/x/Documents/V", None),
        ("/home/x/About Dropbox/V", None),
        ("/home/x/Dropboxes/V", None),
        ("/home/x/Boxes/V", None),
    ],
)
def test_a_folders_name_tells_the_service(folder: str, service: str | None) -> None:
    assert service_by_name(PurePosixPath(folder)) == service


@pytest.mark.parametrize(
    ("folder", "service"),
    [
        (r"C:\Users\x\OneDrive - Firm\V", "OneDrive"),
        (r"C:\Users\x\iCloudDrive\iCloud~md~obsidian\V", "iCloud Drive"),
        (r"G:\My Drive\V", "Google Drive"),
        (r"C:\Users\x\Documents\V", None),
    ],
)
def test_on_windows_too(folder: str, service: str | None) -> None:
    assert service_by_name(PureWindowsPath(folder)) == service


@pytest.mark.parametrize(
    ("marker", "service"),
    [
        (".stfolder", "Syncthing"),
        (".dropbox.cache", "Dropbox"),
        (".nextcloudsync.log", "Nextcloud"),
        (".sync/ID", "Resilio Sync"),
        (".other", None),
    ],
)
def test_a_marker_in_a_folder_above_tells_the_service(
    tmp_path: Path, marker: str, service: str | None
) -> None:
    (tmp_path / "synced/vault").mkdir(parents=True)
    (tmp_path / "synced" / marker).mkdir(parents=True)
    assert service_by_marker(tmp_path / "synced/vault") == service
    assert cloud_service(tmp_path / "synced/vault") == service


MOUNTS = (
    "/dev/sda1 / ext4 rw,relatime 0 0\n"
    "proc /proc proc rw,nosuid 0 0\n"
    "server:/export /mnt/share nfs4 rw,vers=4.2 0 0\n"
    "//server/two\\040words /mnt/two\\040words cifs ro,relatime 0 0\n"
    "x@host:/ /home/x/far fuse.sshfs rw,nosuid 0 0\n"
    "/dev/sdb1 /home/x/far/near ext4 ro 0 0\n"
    "D:\\134 /mnt/d drvfs rw 0 0\n"
    "server:/old /mnt/top nfs rw 0 0\n"
    "/dev/sdc1 /mnt/top xfs rw 0 0\n"
    "a torn line\n"
)


@pytest.mark.parametrize(
    ("folder", "type_"),
    [
        ("/home/x/vault", None),
        ("/mnt/share/vault", "nfs4"),
        ("/mnt/share", "nfs4"),
        ("/mnt/shared/vault", None),
        ("/mnt/two words/vault", "cifs"),
        ("/home/x/far/vault", "fuse.sshfs"),
        ("/home/x/far/near/vault", None),
        ("/mnt/d/vault", "drvfs"),
        ("/mnt/top/vault", None),  # the last mount at a point lies on top
    ],
)
def test_network_file_systems(folder: str, type_: str | None) -> None:
    assert network_file_system(folder, MOUNTS) == type_


def test_a_mount_says_where_it_is_and_of_which_type() -> None:
    assert mount_of("/mnt/two words/vault", MOUNTS) == Mount("/mnt/two words", "cifs")
    assert mount_of("/home/x", MOUNTS) == Mount("/", "ext4")
    assert mount_of("/home/x", "") is None


def test_a_writable_folder(users_folder: Path) -> None:
    assert is_writable(users_folder)
    assert is_writable(users_folder / "not/yet/there")
    (users_folder / "file").write_text("x")
    assert not is_writable(users_folder / "file")
    users_folder.chmod(0o500)
    assert not is_writable(users_folder)
    assert not is_writable(users_folder / "not/yet/there")
