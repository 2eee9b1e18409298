-- The assistant of a workspace has one name, in its preferences. What routing had is moved there; where another one stands there already,
-- the name of routing goes on calling the assistant, as an alias.
UPDATE meta SET value = json_set(value, '$.aliases', json_insert(
    json(coalesce(json_extract(value, '$.aliases'), '["ghost"]')), '$[#]', json_extract(value, '$.name')))
WHERE key = 'routing' AND json_valid(value) AND json_extract(value, '$.name') IS NOT NULL AND EXISTS (
    SELECT 1 FROM meta p WHERE p.workspace_id = meta.workspace_id AND p.key = 'preferences' AND json_valid(p.value)
    AND coalesce(json_extract(p.value, '$.assistant_name'), '') NOT IN ('', json_extract(meta.value, '$.name')));
INSERT INTO meta (workspace_id, key, value)
SELECT workspace_id, 'preferences', json_object('assistant_name', json_extract(value, '$.name'))
FROM meta WHERE key = 'routing' AND json_valid(value) AND json_extract(value, '$.name') IS NOT NULL
ON CONFLICT (workspace_id, key) DO UPDATE
SET value = json_set(meta.value, '$.assistant_name', json_extract(excluded.value, '$.assistant_name'))
WHERE json_valid(meta.value) AND coalesce(json_extract(meta.value, '$.assistant_name'), '') = '';
UPDATE meta SET value = json_remove(value, '$.name') WHERE key = 'routing' AND json_valid(value);
