-- Two full-text indexes over notes_blocks, rowid = notes_blocks.id. Both hold no text of their own and
-- are fed with folded text: compatibility form, lower case, Latin marks stripped.

-- Words. Chinese, Japanese and Korean runs are cut into single characters and overlapping pairs: those of
-- the body stand in cjk, those of the other columns in their own column. Combining marks (vowel signs of the
-- Indic scripts and others) are parts of words.
CREATE VIRTUAL TABLE notes_fts USING fts5 (
  title, aliases, headings, tags, body, cjk,
  content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
);
CREATE VIRTUAL TABLE notes_fts_terms USING fts5vocab (notes_fts, row);
CREATE VIRTUAL TABLE notes_fts_places USING fts5vocab (notes_fts, instance);

-- Substrings of three characters and more, CJK runs left out (their pairs are in notes_fts). A hit is a
-- candidate until its text has been compared.
CREATE VIRTUAL TABLE notes_fts_trigram USING fts5 (
  text,
  content = '', contentless_delete = 1, detail = none, tokenize = "trigram case_sensitive 1"
);
CREATE VIRTUAL TABLE notes_fts_trigram_terms USING fts5vocab (notes_fts_trigram, row);
