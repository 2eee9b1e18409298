-- What an agent that posts by itself began and hasn't finished: texts that are being written, and calls that run since it said
-- something final in plain words, up to this `seq`.
ALTER TABLE session ADD COLUMN texts_open BIGINT NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN calls_open BIGINT NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN words_seq BIGINT NOT NULL DEFAULT 0;
-- Of a posted message: 1 it is being written, 2 it is a call that runs; 3 and 4 the same call once a message of its own holds its
-- result: it is done, or failed. In `asks_input` 2 stands for a question that was answered by its name.
ALTER TABLE message ADD COLUMN work BIGINT NOT NULL DEFAULT 0;
