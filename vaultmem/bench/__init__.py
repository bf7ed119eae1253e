"""Measuring how well search finds. Nothing else of the package imports it."""
