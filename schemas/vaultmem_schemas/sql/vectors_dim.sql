-- Template: the vectors of one dimension, unit length, so that L2 and cosine order alike.
CREATE VIRTUAL TABLE notes_vec_{dim} USING vec0 (embedding float[{dim}]);
