"""What the journal tells: the history of a note, what changed, taking it back, and proving it."""
