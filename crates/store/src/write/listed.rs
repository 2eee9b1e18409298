//! Which sessions are listed, and how many: kept with the rows of sessions, so that a list reads no others.

use super::sessions::{Loaded, Sessions};
use crate::StoreError;
use crate::rollup::{HAS_PARENT, IS_LISTED, adding};
use crate::session_row::SessionRow;
use crate::step::Step;
use crate::step::chunks::padded;
use crate::step::table::{Kind, Row, Table, Verb};
use crate::store::on_step;
use sqlx::QueryBuilder;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::LazyLock;

/// Keys per look-up.
const KEYS: usize = 256;

/// Key, project, agent and machine, which are empty where a session has none.
type Facet = (String, String, String, String);

static SESSION_FACET: LazyLock<Table> = LazyLock::new(|| Table {
    name: "session_facet",
    columns: Cow::Borrowed(&[
        ("key_id", Kind::Text),
        ("project", Kind::Text),
        ("agent", Kind::Text),
        ("machine_id", Kind::Text),
        ("sessions", Kind::Int),
    ]),
    has_workspace: true,
    verb: Verb::Insert(adding("session_facet", "workspace_id, key_id, project, agent, machine_id", "sessions").into()),
});

/// Writes into the rows whether their parents are stored, whether they are listed and whether they wait for a person;
/// and how many are listed. Sessions that a new one is the parent of leave the list.
pub(super) async fn update(step: &mut Step<'_>, sessions: &mut Sessions) -> Result<(), StoreError> {
    find_parents(step, sessions).await?;
    let mut facets: BTreeMap<Facet, i64> = BTreeMap::new();
    adopt(step, sessions, &mut facets).await?;
    for loaded in sessions.loaded() {
        loaded.row.decide_lists();
        let Loaded { row, before } = loaded;
        if let Some(before) = before.as_ref().filter(|before| before.listed != 0) {
            *facets.entry(facet(before)).or_default() -= 1;
        }
        if row.listed != 0 {
            *facets.entry(facet(row)).or_default() += 1;
        }
    }
    count(step, &facets).await
}

fn facet(row: &SessionRow) -> Facet {
    let [key, project, machine] = [&row.key_id, &row.project, &row.machine_id].map(|of| of.clone().unwrap_or_default());
    (key, project, row.agent.clone(), machine)
}

async fn count(step: &mut Step<'_>, facets: &BTreeMap<Facet, i64>) -> Result<(), StoreError> {
    let changed = facets.iter().filter(|(_, by)| **by != 0);
    let rows = changed.map(|((key_id, project, agent, machine), by)| {
        let [key_id, project, agent, machine] = [key_id, project, agent, machine].map(|of| of.as_str().into());
        vec![key_id, project, agent, machine, (*by).into()]
    });
    step.write(&SESSION_FACET, &rows.collect::<Vec<Row<'_>>>()).await
}

/// Looks for the parents of sessions that are new, or learned whose they are.
async fn find_parents(step: &mut Step<'_>, sessions: &mut Sessions) -> Result<(), StoreError> {
    let asks = |loaded: &&mut Loaded| {
        let known = loaded.before.as_ref().and_then(|before| before.parent_key.as_ref());
        loaded.row.parent_key.is_some() && known != loaded.row.parent_key.as_ref()
    };
    let wanted: BTreeSet<String> =
        sessions.loaded().iter_mut().filter(asks).filter_map(|loaded| loaded.row.parent_key.clone()).collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let mut there: HashSet<(String, String)> =
        sessions.iter().map(|loaded| (loaded.row.agent.clone(), loaded.row.key.clone())).collect();
    let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
    for chunk in padded(&wanted, KEYS) {
        let found: Vec<(String, String)> = on_step!(step, c => {
            let mut q = QueryBuilder::new("SELECT agent, key FROM session WHERE workspace_id = ");
            q.push_bind(step.workspace).push(" AND key IN (");
            let mut list = q.separated(", ");
            for key in chunk {
                list.push_bind(key);
            }
            list.push_unseparated(")");
            q.build_query_as().fetch_all(c).await
        })?;
        there.extend(found);
    }
    for loaded in sessions.loaded().iter_mut().filter(asks) {
        let parent = loaded.row.parent_key.clone().map(|key| (loaded.row.agent.clone(), key));
        loaded.row.has_parent = i64::from(parent.is_some_and(|parent| there.contains(&parent)));
    }
    Ok(())
}

/// Finds the sessions whose parent comes with these.
async fn adopt(
    step: &mut Step<'_>,
    sessions: &mut Sessions,
    facets: &mut BTreeMap<Facet, i64>,
) -> Result<(), StoreError> {
    let new = sessions.iter().filter(|loaded| loaded.before.is_none());
    let new: Vec<(String, String)> = new.map(|loaded| (loaded.row.agent.clone(), loaded.row.key.clone())).collect();
    if new.is_empty() {
        return Ok(());
    }
    for loaded in sessions.loaded() {
        let is_of =
            |(agent, key): &(String, String)| *agent == loaded.row.agent && Some(key) == loaded.row.parent_key.as_ref();
        if new.iter().any(is_of) {
            loaded.row.has_parent = 1;
        }
    }
    let keys: Vec<&str> = new.iter().map(|(_, key)| key.as_str()).collect();
    for chunk in padded(&keys, KEYS) {
        let children: Vec<(i64, i64, String, String, String, String, String)> = on_step!(step, c => {
            let mut q = QueryBuilder::new(
                "SELECT rid, listed, COALESCE(key_id, ''), COALESCE(project, ''), agent, COALESCE(machine_id, ''), parent_key FROM session \
                 WHERE has_parent = 0 AND workspace_id = ",
            );
            q.push_bind(step.workspace).push(" AND parent_key IN (");
            let mut list = q.separated(", ");
            for key in chunk {
                list.push_bind(key);
            }
            list.push_unseparated(")");
            q.build_query_as().fetch_all(c).await
        })?;
        for (rid, listed, key_id, project, agent, machine, parent_key) in children {
            let is_loaded = sessions.by_rid(rid).is_some();
            if is_loaded || !new.iter().any(|(of, key)| (of, key) == (&agent, &parent_key)) {
                continue;
            }
            on_step!(step, c => {
                sqlx::query("UPDATE session SET has_parent = 1, listed = 0 WHERE rid = $1").bind(rid).execute(c).await.map(drop)
            })?;
            if listed != 0 {
                *facets.entry((key_id, project, agent, machine)).or_default() -= 1;
            }
        }
    }
    Ok(())
}

/// Takes a session whose row goes out of the counts. The sessions that it is the parent of stand alone then:
/// [`orphan`].
pub(crate) async fn leave(step: &mut Step<'_>, session_rid: i64) -> Result<(), StoreError> {
    add(step, session_rid, -1).await
}

/// Lists the sub-agents of a session whose row is gone.
pub(crate) async fn orphan(step: &mut Step<'_>, agent: &str, key: &str) -> Result<(), StoreError> {
    let children: Vec<i64> = on_step!(step, c => {
        sqlx::query_scalar(
            "SELECT rid FROM session WHERE workspace_id = $1 AND parent_key = $2 AND agent = $3 AND has_parent = 1",
        )
        .bind(step.workspace).bind(key).bind(agent).fetch_all(c).await
    })?;
    for child in children {
        decide(step, child).await?;
        add(step, child, 1).await?;
    }
    Ok(())
}

/// Lists a session whose row came as it is, and takes those that it is the parent of out of the list.
pub(crate) async fn restored(step: &mut Step<'_>, session_rid: i64) -> Result<(), StoreError> {
    let children: Vec<i64> = on_step!(step, c => {
        sqlx::query_scalar(
            "SELECT c.rid FROM session s JOIN session c ON c.workspace_id = s.workspace_id AND c.parent_key = s.key \
             AND c.agent = s.agent WHERE s.workspace_id = $1 AND s.rid = $2 AND c.rid <> s.rid AND c.has_parent = 0",
        )
        .bind(step.workspace).bind(session_rid).fetch_all(c).await
    })?;
    for child in children {
        add(step, child, -1).await?;
        decide(step, child).await?;
    }
    decide(step, session_rid).await?;
    add(step, session_rid, 1).await
}

/// Writes into a session's row what follows from it and from what is stored.
async fn decide(step: &mut Step<'_>, session_rid: i64) -> Result<(), StoreError> {
    for set in [HAS_PARENT, IS_LISTED] {
        on_step!(step, c => {
            sqlx::query(sqlx::AssertSqlSafe(format!("UPDATE session SET {set} WHERE rid = $1"))).bind(session_rid).execute(c).await.map(drop)
        })?;
    }
    Ok(())
}

/// Counts a session if it is listed, or counts it no more.
async fn add(step: &mut Step<'_>, session_rid: i64, by: i64) -> Result<(), StoreError> {
    let found: Option<Facet> = on_step!(step, c => {
        sqlx::query_as(
            "SELECT COALESCE(key_id, ''), COALESCE(project, ''), agent, COALESCE(machine_id, '') FROM session WHERE workspace_id = $1 AND rid = $2 \
             AND listed = 1",
        )
        .bind(step.workspace).bind(session_rid).fetch_optional(c).await
    })?;
    let facets = found.map(|facet| (facet, by)).into_iter().collect();
    count(step, &facets).await
}
