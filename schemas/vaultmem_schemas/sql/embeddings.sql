-- embeddings.db: vectors by (model, hash of the embedded text). Only a cache; deleting it costs time, nothing else.
-- Rows keep their rowid on purpose: a vector is so large that a WITHOUT ROWID table would push each onto a page
-- of its own (measured for 40,000 vectors of 1 kB: 187 MB instead of 48 MB, and three to ten times as slow).

CREATE TABLE models (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE vectors (
    model    INTEGER NOT NULL REFERENCES models (id),
    hash     BLOB    NOT NULL, -- BLAKE2b, 16 bytes, of the text in UTF-8
    vector   BLOB    NOT NULL, -- little-endian 32-bit floats
    checksum INTEGER NOT NULL, -- CRC-32 of the vector
    UNIQUE (model, hash)
) STRICT;
