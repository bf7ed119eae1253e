-- Notes which files a change of the index is about, for a kept snapshot of the graph. A change is written before the
-- generation rises, so it belongs to the next one.
-- They say ON CONFLICT themselves: OR REPLACE would be overruled by the statement that sets them off, an upsert for one.
-- Those of older versions said so, and a file that moved was too much for them.
DROP TRIGGER IF EXISTS notes_graph_link_in;
DROP TRIGGER IF EXISTS notes_graph_link_set;
DROP TRIGGER IF EXISTS notes_graph_link_out;
DROP TRIGGER IF EXISTS notes_graph_note_in;
DROP TRIGGER IF EXISTS notes_graph_note_out;
DROP TRIGGER IF EXISTS notes_graph_file_set;
DROP TRIGGER IF EXISTS notes_graph_file_out;
CREATE TRIGGER IF NOT EXISTS graph_link_in AFTER INSERT ON notes_links BEGIN
  INSERT INTO notes_graph_changes
  VALUES (new.source_id, (SELECT value + 1 FROM index_meta WHERE key = 'generation'))
  ON CONFLICT (file_id) DO UPDATE SET generation = excluded.generation;
END;
CREATE TRIGGER IF NOT EXISTS graph_link_set AFTER UPDATE ON notes_links BEGIN
  INSERT INTO notes_graph_changes
  VALUES (new.source_id, (SELECT value + 1 FROM index_meta WHERE key = 'generation'))
  ON CONFLICT (file_id) DO UPDATE SET generation = excluded.generation;
END;
CREATE TRIGGER IF NOT EXISTS graph_link_out AFTER DELETE ON notes_links BEGIN
  INSERT INTO notes_graph_changes
  VALUES (old.source_id, (SELECT value + 1 FROM index_meta WHERE key = 'generation'))
  ON CONFLICT (file_id) DO UPDATE SET generation = excluded.generation;
END;
CREATE TRIGGER IF NOT EXISTS graph_note_in AFTER INSERT ON notes_index BEGIN
  INSERT INTO notes_graph_changes
  VALUES (new.id, (SELECT value + 1 FROM index_meta WHERE key = 'generation'))
  ON CONFLICT (file_id) DO UPDATE SET generation = excluded.generation;
END;
CREATE TRIGGER IF NOT EXISTS graph_note_out AFTER DELETE ON notes_index BEGIN
  INSERT INTO notes_graph_changes
  VALUES (old.id, (SELECT value + 1 FROM index_meta WHERE key = 'generation'))
  ON CONFLICT (file_id) DO UPDATE SET generation = excluded.generation;
END;
CREATE TRIGGER IF NOT EXISTS graph_file_set AFTER UPDATE OF path, excluded ON vault_files
WHEN old.path != new.path OR old.excluded != new.excluded BEGIN
  INSERT INTO notes_graph_changes
  VALUES (new.id, (SELECT value + 1 FROM index_meta WHERE key = 'generation'))
  ON CONFLICT (file_id) DO UPDATE SET generation = excluded.generation;
END;
CREATE TRIGGER IF NOT EXISTS graph_file_out AFTER DELETE ON vault_files BEGIN
  INSERT INTO notes_graph_changes
  VALUES (old.id, (SELECT value + 1 FROM index_meta WHERE key = 'generation'))
  ON CONFLICT (file_id) DO UPDATE SET generation = excluded.generation;
END;
