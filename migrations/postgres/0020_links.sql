-- Where a followed folder led when a person spoke of it, if it is a link: the word is about that place.
ALTER TABLE project ADD COLUMN leads_to TEXT COLLATE "C";
