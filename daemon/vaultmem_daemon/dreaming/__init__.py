"""The dream: one cycle of upkeep, from the notes as they are to what was done and what waits for a person."""
