-- Items of a to-do list that were given up.
ALTER TABLE session ADD COLUMN todos_cancelled INTEGER NOT NULL DEFAULT 0;
