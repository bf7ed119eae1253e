#!/bin/sh
# Makes .venv with the first Python that is new enough and really runs, and installs exactly what
# requirements/dev.txt locks, then this project itself, editable. Run by `make setup`; PYTHON names an interpreter.
set -eu
cd "$(dirname "$0")/.."

# A name on the PATH proves nothing: it may be a version manager's stub, or lack venv (Debian packs it apart).
probe='import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))'

usable() {
    "$1" -c "$probe" >/dev/null 2>&1
}

choose() {
    if [ -n "${PYTHON:-}" ]; then
        set -- "$PYTHON"
    else
        set -- python3.13 python3.12 python3.11 python3
    fi
    for candidate in "$@"; do
        if usable "$candidate"; then
            echo "$candidate"
            return
        fi
    done
    echo "vaultmem needs Python 3.11 or newer with venv; tried: $*" >&2
    echo "Install one (Debian, Ubuntu: python3 and python3-venv), or name one: make setup PYTHON=/path/to/python3" >&2
    exit 1
}

if ! usable .venv/bin/python; then
    python=$(choose)
    echo "Making .venv with $("$python" --version) ($python)"
    rm -rf .venv
    "$python" -m venv .venv
fi

echo "Installing requirements/dev.txt"
.venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
# Twice quiet: setuptools warns of every editable install in words that only alarm.
.venv/bin/python -m pip install --quiet --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
