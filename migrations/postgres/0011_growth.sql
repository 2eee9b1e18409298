-- The feed has rows of the kind `growth`, which a program of an earlier version can't read. Such a row and one of the kind
-- `message` take each other's place: they stand beside each other.
DROP INDEX feed_replaced;
CREATE INDEX feed_replaced ON feed (workspace_id, session_id, from_seq, kind) WHERE kind <> 'range';
