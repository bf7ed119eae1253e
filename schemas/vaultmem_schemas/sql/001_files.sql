-- What the vault holds, as last seen on disk, and what the index knows about itself.
CREATE TABLE index_meta (
  key   TEXT PRIMARY KEY,
  value ANY
) STRICT, WITHOUT ROWID;

-- One row per file of the vault, notes and all others; hidden files are not files of the vault.
CREATE TABLE vault_files (
  id           INTEGER PRIMARY KEY,
  path         TEXT NOT NULL UNIQUE,   -- vault-relative, '/' between, spelled as on disk
  name_hash    INTEGER NOT NULL,       -- CRC-31 of the file name's comparison key (NFC, lower case, with extension)
  kind         TEXT NOT NULL,          -- note, canvas, base, image, audio, video, pdf, other
  state        TEXT NOT NULL,          -- present, offloaded (in the cloud only), unreadable
  excluded     INTEGER NOT NULL,       -- 1: Obsidian's "excluded files" names it
  size         INTEGER NOT NULL,       -- bytes
  mtime_ns     INTEGER NOT NULL,
  ctime_ns     INTEGER NOT NULL,
  inode        INTEGER NOT NULL,
  read_ns      INTEGER NOT NULL,       -- clock when reading began; 0: never read
  content_hash BLOB,                   -- blake2b-128 of the bytes; NULL for files that are not read
  conflict_of  TEXT                    -- this is a sync conflict copy of that path ('' : of a file that is gone)
) STRICT;
CREATE INDEX vault_files_name ON vault_files (name_hash);
CREATE INDEX vault_files_copies ON vault_files (id) WHERE conflict_of IS NOT NULL;
CREATE INDEX vault_files_excluded ON vault_files (id) WHERE excluded = 1;
CREATE INDEX vault_files_absent ON vault_files (id) WHERE state != 'present';

-- Faults found while reading, one row each, in the order of the file.
CREATE TABLE file_warnings (
  file_id INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  code    TEXT NOT NULL,
  message TEXT NOT NULL,
  line    INTEGER,
  PRIMARY KEY (file_id, ordinal)
) STRICT, WITHOUT ROWID;
