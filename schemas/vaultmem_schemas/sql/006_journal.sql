-- What the journal (.vaultmem/journal) says of the files. Taken in as it grows, and anew with each rebuild.

-- How far each file of the journal was taken in.
CREATE TABLE journal_files (
  path       TEXT PRIMARY KEY,           -- below the journal's folder: device and month
  seen_bytes INTEGER NOT NULL,           -- its length when it was read
  read_bytes INTEGER NOT NULL,           -- of these in whole lines; a line without an end waits
  mark       BLOB NOT NULL,              -- the last of the bytes read: another file in its place shows
  latest_ns  INTEGER NOT NULL            -- time of its latest event
) STRICT, WITHOUT ROWID;

-- The last that the journal says of each path it names.
CREATE TABLE journal_paths (
  path_key     TEXT PRIMARY KEY,         -- comparison key: NFC, lower case
  path         TEXT NOT NULL,            -- as the event spells it
  state        TEXT NOT NULL,            -- here; moved: lives on at another path; gone
  is_folder    INTEGER NOT NULL,
  content_hash TEXT,                     -- blake2b-128 in hex of the file that is or was last here; NULL for a folder
  at_ns        INTEGER NOT NULL,         -- when: at_ns, file and place together order the events
  file         TEXT NOT NULL,            -- journal_files.path
  place        INTEGER NOT NULL,         -- bytes before the event's line
  event_id     TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Files that are gone, as the last event about them says, and at whose path no file is: links may ask for them.
CREATE TABLE notes_tombstones (
  path_key     TEXT PRIMARY KEY,
  path         TEXT NOT NULL,
  name_hash    INTEGER NOT NULL,         -- as in vault_files
  content_hash TEXT,                     -- of the last content, in hex
  gone_ns      INTEGER NOT NULL,
  event_id     TEXT NOT NULL             -- the event that says so
) STRICT, WITHOUT ROWID;
CREATE INDEX notes_tombstones_name ON notes_tombstones (name_hash);
