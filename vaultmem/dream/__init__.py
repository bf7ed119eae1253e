"""Upkeep by night: so far only which blocks are worth comparing."""
