"""Embedders and their cache: texts become vectors here, and are not turned into vectors twice."""
