-- Template: the vectors of one dimension, unit length, so that L2 and cosine order alike. Room is
-- taken a chunk at a time; sqlite-vec's default of 1024 would make the index of a small vault mostly empty.
CREATE VIRTUAL TABLE notes_vec_{dim} USING vec0 (embedding float[{dim}], chunk_size = 256);
