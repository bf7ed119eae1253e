-- Notes, what their text says, and where it says it. Lines count from 0.
CREATE TABLE notes_index (
  id                INTEGER PRIMARY KEY, -- = vault_files.id
  title             TEXT NOT NULL,       -- property title, else the file name without .md
  category          TEXT NOT NULL,       -- property category, else the first folder, else ''
  note_type         TEXT NOT NULL,       -- property type, else ''
  text_state        TEXT NOT NULL,       -- ok, not-utf8, zero-filled (after a crash), absent
  frontmatter_state TEXT NOT NULL,       -- none, empty, ok, invalid
  properties        TEXT NOT NULL,       -- JSON object
  aliases           TEXT NOT NULL,       -- JSON list
  permanent         INTEGER NOT NULL,
  stale             INTEGER NOT NULL,
  severity          TEXT NOT NULL,
  words             INTEGER NOT NULL,
  body_start        INTEGER NOT NULL,    -- code points before the body
  day               INTEGER              -- days since 1970-01-01 of its date; NULL: neither property nor name tells
) STRICT;

-- A search block: a heading with its text, or a part of a long section. The blocks of a note join to
-- its body; the block before and the one after are those with the neighbouring ordinal.
CREATE TABLE notes_blocks (
  id           INTEGER PRIMARY KEY,      -- = rowid in notes_fts and notes_fts_trigram
  note_id      INTEGER NOT NULL,
  ordinal      INTEGER NOT NULL,
  level        INTEGER NOT NULL,         -- 1 to 6: it begins with that heading, the last of its path; 0: with text
  heading_path TEXT NOT NULL,            -- one heading a line, outermost first; 0x1F for the title
  start        INTEGER NOT NULL,         -- code points from the start of the file
  line         INTEGER NOT NULL,
  text         TEXT NOT NULL             -- verbatim
) STRICT;
CREATE UNIQUE INDEX notes_blocks_note ON notes_blocks (note_id, ordinal);

-- Ends of links inside a note; headings, the other kind, are to be had from notes_blocks.
CREATE TABLE notes_block_ids (
  note_id  INTEGER NOT NULL,
  ordinal  INTEGER NOT NULL,
  block_id TEXT NOT NULL,                -- without ^, as written
  line     INTEGER NOT NULL,
  PRIMARY KEY (note_id, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE notes_tags (
  note_id     INTEGER NOT NULL,
  ordinal     INTEGER NOT NULL,
  tag         TEXT NOT NULL,             -- as written, without #
  tag_key     TEXT NOT NULL,             -- comparison key: NFC, lower case
  in_property INTEGER NOT NULL,
  line        INTEGER NOT NULL,
  PRIMARY KEY (note_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX notes_tags_key ON notes_tags (tag_key);

CREATE TABLE notes_tasks (
  note_id INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  status  TEXT NOT NULL,                 -- the character between the brackets
  text    TEXT NOT NULL,
  line    INTEGER NOT NULL,
  PRIMARY KEY (note_id, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE notes_fields (
  note_id INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  key     TEXT NOT NULL,
  value   TEXT NOT NULL,
  line    INTEGER NOT NULL,
  PRIMARY KEY (note_id, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE notes_facts (
  note_id INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  fact_id TEXT NOT NULL,
  text    TEXT NOT NULL,
  line    INTEGER NOT NULL,
  PRIMARY KEY (note_id, ordinal)
) STRICT, WITHOUT ROWID;
