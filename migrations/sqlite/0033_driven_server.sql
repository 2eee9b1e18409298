-- The server that ran the agent, where several use one database. Null where one server has it alone.
ALTER TABLE driven ADD COLUMN server TEXT;
