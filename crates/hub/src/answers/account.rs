//! Who is asking, and the state of the server.

use crate::{Caller, Hub, Scoped, clock, login, problem};
use api::Problem;
use api::account::{Health, LogInInfo, LogIns, Me};
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
        condition: hub.condition(),
        sources: i64::try_from(sources.len()).unwrap_or(i64::MAX),
    })
}

pub async fn logins(scoped: &Scoped) -> Result<LogIns, Problem> {
    let now = clock::now();
    let logins = scoped.hub.all_logins().await?;
    let logins = logins.into_iter().filter(|login| login::holds(login, now)).map(|login| {
        let id = login::id_of_hash(&login.hash).to_owned();
        LogInInfo {
            current: scoped.login.as_deref() == Some(&id),
            id,
            label: login.label,
            created_at: login.created_at,
            last_used_at: login.last_used_at,
            expires_at: login.expires_at,
        }
    });
    Ok(LogIns { logins: logins.collect() })
}

pub async fn end_login(scoped: &Scoped, id: &str) -> Result<LogIns, Problem> {
    if scoped.hub.end_logins(&scoped.signed().await, |login| login == id).await? == 0 {
        return Err(Problem::not_found("log-in"));
    }
    logins(scoped).await
}

pub async fn end_other_logins(scoped: &Scoped) -> Result<LogIns, Problem> {
    scoped.hub.end_logins(&scoped.signed().await, |login| scoped.login.as_deref() != Some(login)).await?;
    logins(scoped).await
}
