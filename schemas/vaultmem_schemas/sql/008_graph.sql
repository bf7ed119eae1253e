-- What the graph has worked out of the notes and their links. All of it can be made again, but for the ids and names
-- of communities, which a rebuild carries over.

CREATE TABLE notes_graph_cache (
  key        TEXT PRIMARY KEY,           -- snapshot, partition
  generation INTEGER NOT NULL,           -- of the index when it was made
  value      BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- Files whose notes or links the snapshot does not know as they are now. Filled by the triggers of graph_triggers.sql,
-- which are there once a snapshot is kept.
CREATE TABLE notes_graph_changes (
  file_id    INTEGER PRIMARY KEY,
  generation INTEGER NOT NULL            -- of the change
) STRICT;

CREATE TABLE notes_graph_communities (
  id       INTEGER PRIMARY KEY,          -- stays with a community as long as most of its notes do
  name     TEXT NOT NULL,
  terms    TEXT NOT NULL,                -- JSON list, best first
  notes    INTEGER NOT NULL,
  hub      TEXT NOT NULL,                -- path of its best connected note
  inside   REAL NOT NULL,                -- links that stay in it, share of all of its notes'
  previous INTEGER NOT NULL              -- how many notes it had the time before; 0: new
) STRICT;

CREATE TABLE notes_graph_insights (
  kind    TEXT NOT NULL,                 -- isolated, sparse, bridge, surprising
  ordinal INTEGER NOT NULL,              -- best first
  path    TEXT NOT NULL,
  other   TEXT NOT NULL,                 -- the note at the other end, or ''
  score   REAL NOT NULL,
  reason  TEXT NOT NULL,
  PRIMARY KEY (kind, ordinal)
) STRICT, WITHOUT ROWID;

-- What a note says that it was made from: links under these properties or inline fields.
CREATE VIEW notes_sources AS
SELECT l.source_id AS note_id, l.ordinal, l.target, l.subpath, l.target_id, l.line
FROM notes_links AS l WHERE l.relation IN ('source_notes', 'source_note', 'sources', 'source', 'derived_from');

-- Where single facts of a note come from: the property fact_provenance, fact id to URI.
CREATE VIEW notes_provenance AS
SELECT n.id AS note_id, j.key AS fact_id, j.value AS source
FROM notes_index AS n, json_each(n.properties, '$.fact_provenance') AS j
WHERE json_type(n.properties, '$.fact_provenance') = 'object' AND j.type = 'text';
