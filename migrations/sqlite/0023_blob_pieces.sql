-- A blob of more than 1 MiB is stored in pieces of 1 MiB, the last one of what is left, by the id of its upload. Its `data` is empty
-- then; a smaller one is all in `data`, without `upload_id` and `size`. While an upload goes on, its id is the `sha256` of a row of
-- `blob_upload`. `crc` is the CRC-32 of a piece; unknown of those that were stored whole before.
CREATE TABLE blob_piece (
    workspace_id TEXT NOT NULL,
    upload_id TEXT NOT NULL,
    start_at INTEGER NOT NULL,
    crc INTEGER,
    data BLOB NOT NULL,
    UNIQUE (workspace_id, upload_id, start_at)
) STRICT;
ALTER TABLE blob ADD COLUMN upload_id TEXT;
ALTER TABLE blob ADD COLUMN size INTEGER;
CREATE INDEX blob_in_pieces ON blob (workspace_id, upload_id);

INSERT INTO blob_piece (workspace_id, upload_id, start_at, data)
WITH RECURSIVE part (workspace_id, sha256, start_at, size) AS (
    SELECT workspace_id, sha256, 0, LENGTH(data) FROM blob WHERE LENGTH(data) > 1048576
    UNION ALL
    SELECT workspace_id, sha256, start_at + 1048576, size FROM part WHERE start_at + 1048576 < size
)
SELECT b.workspace_id, b.sha256, part.start_at, SUBSTR(b.data, part.start_at + 1, 1048576)
FROM part JOIN blob b ON b.workspace_id = part.workspace_id AND b.sha256 = part.sha256;
UPDATE blob SET upload_id = sha256, size = LENGTH(data), data = X'' WHERE LENGTH(data) > 1048576;
