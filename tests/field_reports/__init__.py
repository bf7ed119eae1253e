"""Runs cases made from faults that people reported elsewhere, one JSON object a line, on real files.

``python -m tests.field_reports FILE.jsonl …`` runs any file of that format (``cases/FORMAT.md``); ``cases/`` holds the
project's own. Where each thing lies:

- ``case`` reads the format, ``files`` puts a case's vault on disk,
- ``world`` is the vault while its case runs, ``steps`` does what happens, ``checks`` judges what must be true,
- ``dreaming`` groups and merges notes, ``prose`` judges what code can judge of outcomes in prose,
- ``writing``, ``watching``, ``tampering``, ``triggers``, ``privileges`` and ``embedders`` are what steps are made of,
- ``turning`` is the clock of a case, ``daemon_steps``, ``daemon_child`` and ``observing`` are for cases about the daemon, and
  ``daemon_prose`` judges what these say in prose,
- ``portrait`` shows what was seen to those who judge an outcome in prose,
- ``runner`` and ``report`` run cases and print how they ended.
"""
