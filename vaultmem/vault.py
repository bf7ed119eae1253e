"""The one object that the command line, servers and the daemon hold. It composes; it does not do."""

from __future__ import annotations
# (in work; the signatures are settled)
