-- Of PostgreSQL's index of words alone.
SELECT 1;
