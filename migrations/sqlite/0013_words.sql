-- Each commit adds a piece to the index of words. Twice as many as before are merged at once, so that words are written anew less
-- often; and a commit that finds many pieces doesn't merge all of them while others wait.
INSERT INTO message_search (message_search, rank) VALUES ('automerge', 16);
INSERT INTO message_search (message_search, rank) VALUES ('crisismerge', 64);
