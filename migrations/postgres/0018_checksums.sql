-- CRC-32 of the bytes that a chunk holds, before they were packed. Unknown of earlier rows: the file's SHA-256 covers them.
ALTER TABLE record_chunk ADD COLUMN crc BIGINT;
