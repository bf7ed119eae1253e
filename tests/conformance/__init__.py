"""Runs cases of Obsidian's behaviour, one JSON object a line, against the real library on real files.

``python -m tests.conformance FILE.jsonl …`` runs any file of that format; ``cases/`` holds the project's own.
"""
