-- One row per written link of a note or canvas, embeds included, in the order of the file.
CREATE TABLE notes_links (
  source_id   INTEGER NOT NULL,          -- vault_files.id
  ordinal     INTEGER NOT NULL,
  kind        TEXT NOT NULL,             -- wikilink, markdown, property, canvas
  embed       INTEGER NOT NULL,
  target      TEXT NOT NULL,             -- the file part as understood; '' : the note itself
  subpath     TEXT NOT NULL,
  label       TEXT,                      -- display text; NULL when none is written
  size        TEXT,
  key         TEXT,                      -- property key or canvas node
  relation    TEXT,                      -- name of the property or inline field; NULL: mentions
  line        INTEGER NOT NULL,
  start       INTEGER NOT NULL,          -- code points from the start of the file
  name_hash   INTEGER NOT NULL,          -- CRC-31 of the target's name key: finds links that a new file may catch
  target_id   INTEGER,                   -- vault_files.id; NULL when nothing matches
  resolved_by TEXT,                      -- self, name, exact, relative, suffix; of a deleted one, as it would be
  status      TEXT NOT NULL,             -- resolved, ambiguous, unresolved, deleted (led to a file that is gone)
  confidence  REAL NOT NULL,             -- 1 resolved, 1/candidates ambiguous, 0 unresolved or deleted
  gone_path   TEXT,                      -- notes_tombstones.path when deleted, else NULL
  PRIMARY KEY (source_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX notes_links_target ON notes_links (target_id) WHERE target_id IS NOT NULL;
CREATE INDEX notes_links_gone ON notes_links (gone_path) WHERE gone_path IS NOT NULL;
CREATE INDEX notes_links_name ON notes_links (name_hash);
CREATE INDEX notes_links_succession ON notes_links (source_id) WHERE relation IN ('supersedes', 'superseded_by');
