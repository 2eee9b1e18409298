-- Old deliveries are looked for each hour: without reading the bodies of all others.
CREATE INDEX channel_delivery_ended ON channel_delivery (workspace_id, (COALESCE(sent_at, queued_at)))
    WHERE state IN ('sent', 'skipped', 'cleared');
CREATE INDEX channel_delivery_sent ON channel_delivery (workspace_id, channel_id, sent_at) WHERE sent_at IS NOT NULL;
