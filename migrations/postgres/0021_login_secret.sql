-- Hash, in hex, of the second secret of a log-in, which isn't a cookie. Log-ins from before have none: they only read.
ALTER TABLE login ADD COLUMN secret_hash TEXT COLLATE "C";
