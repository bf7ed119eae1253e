"""Answers as pages for people: pure functions of an answer and the look of the streams."""
