"""Doors to a vault for other programs. The core imports none of them."""
