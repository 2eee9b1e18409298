-- When too many words wait to be sorted is said by each connection: few for the one that sorts, many for those that write.
ALTER INDEX message_search_words RESET (gin_pending_list_limit);
