"""Quantities: numbers with a unit, brought to one unit of their kind. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isclose
from typing import Final

_KINDS: Final[Mapping[str, Mapping[str, float]]] = {
    "s": {
        "ns": 1e-9, "µs": 1e-6, "us": 1e-6, "ms": 1e-3, "millisecond": 1e-3, "s": 1, "sec": 1, "second": 1, "min": 60, "minute": 60,
        "h": 3600, "hr": 3600, "hour": 3600, "day": 86400, "week": 604800,
    },
    "month": {"month": 1, "year": 12},
    "m": {"mm": 1e-3, "cm": 1e-2, "m": 1, "metre": 1, "meter": 1, "km": 1e3, "kilometre": 1e3, "kilometer": 1e3, "mile": 1609.344,
          "inch": 0.0254, "ft": 0.3048, "foot": 0.3048, "feet": 0.3048, "yard": 0.9144},
    "g": {"mg": 1e-3, "g": 1, "gram": 1, "kg": 1e3, "kilo": 1e3, "kilogram": 1e3, "t": 1e6, "ton": 1e6, "tonne": 1e6, "lb": 453.592, "pound": 453.592, "oz": 28.3495,
          "ounce": 28.3495},
    "l": {"ml": 1e-3, "cl": 1e-2, "dl": 0.1, "l": 1, "litre": 1, "liter": 1, "gallon": 3.785412, "pint": 0.473176},
    "byte": {
        "b": 1, "byte": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "pb": 1e15, "kib": 1024, "mib": 1024**2, "gib": 1024**3,
        "tib": 1024**4, "pib": 1024**5, "kilobyte": 1e3, "megabyte": 1e6, "gigabyte": 1e9, "terabyte": 1e12, "petabyte": 1e15,
        "kibibyte": 1024, "mebibyte": 1024**2, "gibibyte": 1024**3, "tebibyte": 1024**4, "pebibyte": 1024**5,
    },
    "%": {"%": 1, "percent": 1, "pct": 1},
    "°c": {"°c": 1, "celsius": 1}, "°f": {"°f": 1, "fahrenheit": 1},
    "eur": {"eur": 1, "euro": 1, "€": 1}, "usd": {"usd": 1, "dollar": 1, "$": 1}, "gbp": {"gbp": 1, "£": 1},
    **{sign: {sign: 1} for sign in "¥₩₹₽₺₴₪₫₱₦฿₿"},
    "v": {"v": 1, "volt": 1}, "a": {"amp": 1, "ampere": 1}, "w": {"w": 1, "watt": 1, "kw": 1e3, "kilowatt": 1e3, "mw": 1e6},
    "hz": {"hz": 1, "khz": 1e3, "mhz": 1e6, "ghz": 1e9},
}  # fmt: skip
_UNITS: Final = {
    name: (kind, factor) for kind, names in _KINDS.items() for name, factor in names.items()
}
_AS_WRITTEN: Final[Mapping[str, tuple[str, float]]] = {
    "Kb": ("bit", 1e3), "Mb": ("bit", 1e6), "Gb": ("bit", 1e9), "Tb": ("bit", 1e12), "mW": ("w", 1e-3), "Mg": ("g", 1e6),
}  # fmt: skip
"""Units that another case makes another unit."""
_BY_1024: Final[Mapping[float, float]] = {10.0 ** (3 * up): 1024.0**up for up in range(1, 6)}
"""What kB, MB and so on are to many people."""
_PREPOSITIONS: Final = frozenset({"a", "in", "at"})


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number and what it counts."""

    value: float
    """In ``unit``."""
    unit: str | None
    """The first unit of its kind (seconds, metres, bytes, …); None for a bare number."""
    by_1024: float | None = None
    """Bytes, if kB, MB and so on go by 1024, as many people mean them; None where the unit leaves no choice."""


def quantity(number: float, unit: str) -> Quantity:
    """The quantity in the first unit of its kind; without one if the word is no unit we know.

    >>> quantity(1.5, "hours"), quantity(3, "boxes")
    (Quantity(value=5400.0, unit='s', by_1024=None), Quantity(value=3, unit=None, by_1024=None))
    """
    if unit in _AS_WRITTEN:
        kind, factor = _AS_WRITTEN[unit]
        return Quantity(number * factor, kind)
    word = unit.lower()
    if word not in _PREPOSITIONS:
        for name in (word, word.removesuffix("s"), word.removesuffix("es")):
            if name in _UNITS:
                kind, factor = _UNITS[name]
                other = _BY_1024.get(factor) if kind == "byte" else None
                return Quantity(number * factor, kind, other and number * other)
    return Quantity(number, None)


def same_quantity(a: Quantity, b: Quantity) -> bool:
    """Whether both are the same amount. 2 GB may be 2048 MB, but GiB and GB are two units."""
    if a.unit != b.unit:
        return False
    if isclose(a.value, b.value, rel_tol=1e-6):
        return True
    both = a.by_1024 is not None and b.by_1024 is not None
    return both and isclose(a.by_1024 or 0, b.by_1024 or 0, rel_tol=1e-6)


def maybe_same(a: Quantity, b: Quantity) -> bool:
    """Whether both are the same amount in any way in which they may be meant: 2 GB may be 2 GiB, so neither proves the
    other wrong."""
    return a.unit == b.unit and any(
        isclose(x, y, rel_tol=1e-6)
        for x in (a.value, a.by_1024)
        for y in (b.value, b.by_1024)
        if x is not None and y is not None
    )
