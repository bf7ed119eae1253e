"""Changing the vault on somebody's word: notes made, edited, renamed and removed, each as one event."""
