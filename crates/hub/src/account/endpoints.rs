//! The endpoints of the caller and of the server's state.

use crate::account::login;
use crate::basics::{clock, problem};
use crate::caller::Caller;
use crate::context::Scoped;
use api::Problem;
use api::account::{Health, LaunchCode, LogInInfo, LogInPath, LogIns, Me, NewPairing, Pairing};
use api::keys::{EditKey, KeyMade, KeyPath, Keys, NewKey};
use api::people::PersonRole;
use std::future::{Ready, ready};
use store::{Login, Parents, SessionFilter, Store};

pub fn me(scoped: &Scoped) -> Ready<Result<Me, Problem>> {
    let (kind, name) = match &scoped.caller {
        Caller::User(user) => ("owner", user.name.as_deref().unwrap_or("You")),
        Caller::Local => ("local", "This machine"),
        Caller::Agent(agent) => ("agent", &*agent.name),
    };
    let role = scoped.caller.user().map(|user| user.role);
    ready(Ok(Me { kind: kind.to_owned(), name: name.to_owned(), workspace: "default".to_owned(), role }))
}

pub fn create_launch_code(scoped: &Scoped) -> Ready<Result<LaunchCode, Problem>> {
    ready(scoped.hub.launch_url().map(|url| LaunchCode { url }))
}

pub fn create_pairing(scoped: &Scoped, input: NewPairing) -> Ready<Result<Pairing, Problem>> {
    ready(scoped.hub.pair(scoped.caller.person_id(), input))
}

pub async fn create_key(scoped: &Scoped, input: NewKey) -> Result<KeyMade, Problem> {
    scoped.hub.create_key(&scoped.signed().await, input).await
}

pub async fn list_keys(scoped: &Scoped) -> Result<Keys, Problem> {
    scoped.hub.list_keys().await
}

pub async fn edit_key(scoped: &Scoped, path: &KeyPath, input: EditKey) -> Result<Keys, Problem> {
    scoped.hub.edit_key(&scoped.signed().await, &path.key, input).await
}

pub async fn revoke_key(scoped: &Scoped, path: &KeyPath) -> Result<Keys, Problem> {
    scoped.hub.revoke_key(&scoped.signed().await, &path.key).await
}

pub async fn health(scoped: &Scoped) -> Result<Health, Problem> {
    let hub = &scoped.hub;
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

/// Returns whether the caller may see a log-in and end it: people those of their own, an owner all.
fn manages(scoped: &Scoped, login: &Login) -> bool {
    let user = scoped.caller.user().filter(|user| user.role != PersonRole::Owner);
    user.is_none_or(|user| user.id == login.person)
}

pub async fn list_logins(scoped: &Scoped) -> Result<LogIns, Problem> {
    let mut logins = scoped.hub.holding_logins().await?;
    logins.retain(|login: &Login| manages(scoped, login));
    let people = scoped.hub.workspace.people().await.map_err(problem)?;
    let devices = scoped.hub.workspace.push_devices().await.map_err(problem)?;
    let logins = logins.into_iter().map(|login| {
        let id = login::id_of_hash(&login.hash).to_owned();
        LogInInfo {
            current: scoped.login.as_deref() == Some(&id),
            notified: devices.iter().any(|device| device.login == id),
            id,
            person: people.iter().find(|person| person.id == login.person).map(|person| person.name.clone()),
            label: login.label,
            created_at: login.created_at,
            last_used_at: login.last_used_at,
            expires_at: login.expires_at,
        }
    });
    Ok(LogIns { logins: logins.collect() })
}

pub async fn end_login(scoped: &Scoped, path: &LogInPath) -> Result<LogIns, Problem> {
    if scoped
        .hub
        .end_logins(&scoped.signed().await, |login: &Login| {
            manages(scoped, login) && login::id_of_hash(&login.hash) == path.login
        })
        .await?
        == 0
    {
        return Err(Problem::not_found("log-in"));
    }
    list_logins(scoped).await
}

pub async fn end_other_logins(scoped: &Scoped) -> Result<LogIns, Problem> {
    let mine = scoped.caller.person_id();
    let is_other =
        |login: &Login| login.person == mine && scoped.login.as_deref() != Some(login::id_of_hash(&login.hash));
    scoped.hub.end_logins(&scoped.signed().await, is_other).await?;
    list_logins(scoped).await
}
