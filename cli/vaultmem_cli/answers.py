"""What the commands give back that no method of a vault does."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class InitReport:
    """What ``init`` made; paths are absolute."""

    vault: str
    index_location: str
    """vault, cache"""
    created: tuple[str, ...]
    kept: tuple[str, ...]
    """Files that were already there and were left as they are."""
    has_index: bool
    """There is an index already."""


@dataclass(frozen=True, slots=True)
class SettingView:
    """One setting in force."""

    key: str
    value: str | int | float | bool
    origin: str
    """flag, environment, vault, user, default"""
    where: str
    """The variable's name or the file's path; "" for a flag and for the default."""
    about: str


@dataclass(frozen=True, slots=True)
class ConfigAnswer:
    """Every setting with its value and where that came from."""

    vault: str | None
    """None where there is no vault; then no vault's settings are in force."""
    vault_config: str | None
    """The vault's settings file, whether or not it exists."""
    user_config: str
    """The user's settings file, whether or not it exists."""
    settings: tuple[SettingView, ...]


@dataclass(frozen=True, slots=True)
class CandidateView:
    """A place in a note that may have been meant."""

    heading_path: tuple[str, ...]
    """The headings above it and, for a heading, itself."""
    line: int
    """From 0."""
    text: str


@dataclass(frozen=True, slots=True)
class ErrorAnswer:
    """Why a command that was asked for JSON could not answer."""

    command: str
    """"" when the words name no command."""
    kind: str
    """The error's class in words, such as ``note-not-found``; ``interrupted``."""
    message: str
    hint: str
    exit_code: int
    code: str = ""
    """What stood in the way of a change, in one word for programs, such as ``many-matches``; else empty."""
    candidates: tuple[CandidateView, ...] = ()
    """The places that may have been meant, when a target did not match exactly once."""
