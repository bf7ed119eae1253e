"""Pure functions over the text of notes: parse, resolve, render. No I/O, no clock."""
