"""Long runs of what must never lose a byte, for the command line; the suite runs them small."""
