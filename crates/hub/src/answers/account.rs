//! Who is asking, and the state of the server.

use crate::{Caller, Hub, clock, problem};
use api::Problem;
use api::account::{Health, Me};
use store::{Parents, SessionFilter, Store};

pub fn me(caller: &Caller) -> Me {
    let (kind, name) = match caller {
        Caller::Owner => ("owner", "You"),
        Caller::Local => ("local", "This machine"),
        Caller::Agent(agent) => ("agent", &*agent.name),
    };
    Me { kind: kind.to_owned(), name: name.to_owned(), workspace: "default".to_owned() }
}

pub async fn health(hub: &Hub) -> Result<Health, Problem> {
    let filter = SessionFilter { parents: Parents::AndChildren, ..SessionFilter::new(clock::now(), 1) };
    let page = hub.workspace.sessions(&filter).await.map_err(problem)?;
    let sources = hub.workspace.sources().await.map_err(problem)?;
    Ok(Health {
        version: hub.settings.version.clone(),
        store: match hub.store {
            Store::Sqlite(_) => "sqlite".to_owned(),
            Store::Postgres(_) => "postgres".to_owned(),
        },
        sessions: i64::try_from(page.total).unwrap_or(i64::MAX),
        source_bytes: sources.iter().map(|s| i64::try_from(s.size).unwrap_or(0)).sum(),
        sources: i64::try_from(sources.len()).unwrap_or(i64::MAX),
    })
}
