-- The words of the word index by their stem: forms of one word meet, and words near in meaning are found. Grows
-- with the notes; a word that no block holds any longer stays until the next rebuild and finds nothing.
CREATE TABLE notes_words (
  id     INTEGER PRIMARY KEY,
  stem   TEXT NOT NULL,
  term   TEXT NOT NULL,                  -- as notes_fts has it
  vector BLOB                            -- 128 half floats; NULL for what has no meaning of its own: numbers, CJK pairs
) STRICT;
CREATE UNIQUE INDEX notes_words_stem ON notes_words (stem, term);
