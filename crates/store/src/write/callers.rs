//! Which session started a sub-agent: the one that holds its call, be it the main one or another sub-agent's. Files
//! come in any order, so the call may come before the sub-agent or after it.

use super::sessions::{self, Sessions};
use crate::StoreError;

use crate::step::Step;
use crate::step::chunks::padded;
use crate::store::on_step;
use sqlx::QueryBuilder;
use std::collections::HashMap;

/// Calls per look-up.
const MANY: usize = 512;

/// The main session of a family, by the key of one of its sessions.
fn root(key: &str) -> &str {
    key.split_once('/').map_or(key, |(root, _)| root)
}

/// Hangs the sub-agents of a batch below the sessions that hold their calls.
pub(super) async fn find(step: &mut Step<'_>, sessions: &mut Sessions) -> Result<(), StoreError> {
    let children: Vec<(usize, String, String, String)> = sessions
        .iter()
        .enumerate()
        .filter(|(_, loaded)| loaded.row.create_hash.is_none() && loaded.row.parent_key.is_some())
        .filter_map(|(index, loaded)| {
            let row = &loaded.row;
            Some((index, row.call_id.clone()?, row.agent.clone(), row.key.clone()))
        })
        .collect();
    for (index, call_id, agent, key) in children {
        let callers: Vec<String> = on_step!(step, c => {
            sqlx::query_scalar(
                "SELECT s.key FROM message m JOIN session s ON s.rid = m.session_rid WHERE m.workspace_id = $1 \
                 AND m.id = $2 AND s.agent = $3 ORDER BY m.rid",
            )
            .bind(step.workspace).bind(&call_id).bind(&agent).fetch_all(c).await
        })?;
        let caller = callers.into_iter().find(|caller| *caller != key && root(caller) == root(&key));
        if caller.is_some() {
            sessions.row(index).parent_key = caller;
        }
    }
    Ok(())
}

/// Hangs stored sub-agents below the session whose new calls started them. `calls`: sessions by their index, and ids of
/// calls.
pub(super) async fn claim(
    step: &mut Step<'_>,
    sessions: &mut Sessions,
    calls: &[(usize, String)],
) -> Result<(), StoreError> {
    let mut callers: HashMap<&str, usize> = HashMap::with_capacity(calls.len());
    for (caller, id) in calls {
        callers.entry(id).or_insert(*caller);
    }
    let ids: Vec<&str> = callers.keys().copied().collect();
    for ids in padded(&ids, MANY) {
        let found: Vec<(i64, String, String)> = on_step!(step, c => {
            let mut q = QueryBuilder::new("SELECT rid, key, call_id FROM session WHERE workspace_id = ");
            q.push_bind(step.workspace).push(" AND create_hash IS NULL AND parent_key IS NOT NULL AND call_id IN (");
            let mut list = q.separated(", ");
            for id in ids {
                list.push_bind(id);
            }
            list.push_unseparated(")");
            q.build_query_as().fetch_all(c).await
        })?;
        for (rid, key, call_id) in found {
            let Some(caller) = callers.get(call_id.as_str()) else { continue };
            let (caller, agent) = (sessions.row(*caller).key.clone(), sessions.row(*caller).agent.clone());
            if caller == key || root(&caller) != root(&key) {
                continue;
            }
            let child = sessions::loaded(step, sessions, rid).await?;
            let row = sessions.row(child);
            if row.agent == agent {
                row.parent_key = Some(caller);
            }
        }
    }
    Ok(())
}
