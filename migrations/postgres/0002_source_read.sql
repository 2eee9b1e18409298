-- Time of the file's last change as it was when it was read to its end with nothing held back; unknown otherwise.
ALTER TABLE source ADD COLUMN modified_at BIGINT;
-- Of a file that was rewritten: the rid whose bytes are gone, until the messages that came from them alone are retracted.
ALTER TABLE source ADD COLUMN replaces BIGINT;
