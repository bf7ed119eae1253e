"""Measurements, each as a ratio to a floor taken in the same run: ``python -m tests.benchmarks --help``."""
