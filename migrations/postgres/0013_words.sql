-- Words that aren't sorted into the index yet are sorted beside the writes, and by a write when they are far too many.
ALTER INDEX message_search_words SET (gin_pending_list_limit = 65536);
