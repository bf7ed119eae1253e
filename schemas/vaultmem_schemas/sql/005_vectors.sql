-- Which vector belongs to which block. The vectors lie in notes_vec_{dim}, one table per dimension.
CREATE TABLE notes_vec_map (
  id        INTEGER PRIMARY KEY,         -- = rowid in notes_vec_{dim}
  block_id  INTEGER NOT NULL,
  dim       INTEGER NOT NULL,
  model     TEXT NOT NULL,
  text_hash BLOB NOT NULL                -- blake2b-128 of the embedded text
) STRICT;
CREATE UNIQUE INDEX notes_vec_map_block ON notes_vec_map (block_id, model);
