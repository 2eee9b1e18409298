-- The assistant of a workspace has one name, in its preferences. What routing had is moved there; where another one stands there already,
-- the name of routing goes on calling the assistant, as an alias.
UPDATE meta SET value = jsonb_set(value::jsonb, '{aliases}',
    coalesce(value::jsonb -> 'aliases', '["ghost"]'::jsonb) || jsonb_build_array(value::jsonb -> 'name'))::text
WHERE key = 'routing' AND value::jsonb ->> 'name' IS NOT NULL AND EXISTS (
    SELECT 1 FROM meta p WHERE p.workspace_id = meta.workspace_id AND p.key = 'preferences'
    AND coalesce(p.value::jsonb ->> 'assistant_name', '') NOT IN ('', meta.value::jsonb ->> 'name'));
INSERT INTO meta (workspace_id, key, value)
SELECT workspace_id, 'preferences', json_build_object('assistant_name', value::jsonb ->> 'name')::text
FROM meta WHERE key = 'routing' AND value::jsonb ->> 'name' IS NOT NULL
ON CONFLICT (workspace_id, key) DO UPDATE
SET value = jsonb_set(meta.value::jsonb, '{assistant_name}', excluded.value::jsonb -> 'assistant_name')::text
WHERE coalesce(meta.value::jsonb ->> 'assistant_name', '') = '';
UPDATE meta SET value = (value::jsonb - 'name')::text WHERE key = 'routing' AND value::jsonb ->> 'name' IS NOT NULL;
