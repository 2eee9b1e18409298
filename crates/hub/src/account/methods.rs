//! How people log in besides links.

use crate::account::login::require_fresh;
use crate::account::passkey_site::Site;
use crate::basics::{clock, problem, problem::report};
use crate::context::{Hub, Scoped};
use api::account::{LogInMethodInfo, LogInMethodKind, LogInMethodPath, LogInMethods, SingleSignOnBegun};
use api::{Problem, ProblemCode};
use model::Micros;
use model::audit::Event;
use store::LogInMethod;

pub async fn list_login_methods(scoped: &Scoped) -> Result<LogInMethods, Problem> {
    let stored = scoped.hub.workspace.login_methods(scoped.caller.person_id()).await.map_err(problem)?;
    let methods = stored.into_iter().filter_map(|method| {
        Some(LogInMethodInfo {
            // One of a newer version logs nobody in here.
            kind: LogInMethodKind::parse(&method.kind)?,
            id: method.id,
            label: method.label,
            created_at: Micros(method.created_at),
            last_used_at: method.last_used_at.map(Micros),
        })
    });
    Ok(LogInMethods {
        methods: methods.collect(),
        may_change: require_fresh(scoped).await.is_ok(),
        has_passkeys: Site::of(&scoped.hub).is_some(),
        provider: scoped.hub.settings.provider.clone(),
    })
}

pub async fn remove_login_method(scoped: &Scoped, path: &LogInMethodPath) -> Result<LogInMethods, Problem> {
    require_fresh(scoped).await?;
    let (person, kind) = (scoped.caller.person_id(), path.kind.as_str());
    let found = scoped.hub.workspace.login_method(kind, &path.method).await.map_err(problem)?;
    let Some(method) = found.filter(|method| method.person_id == person) else {
        return Err(Problem::not_found("log-in method"));
    };
    let event = Event::LogInMethodRemoved { person: person.to_owned(), method: method.kind, label: method.label };
    scoped.signed().await.delete_login_method(person, kind, &method.id, event).await.map_err(problem)?;
    list_login_methods(scoped).await
}

/// Begins to add an account to the caller: their browser goes to the provider.
pub async fn begin_single_sign_on(scoped: &Scoped) -> Result<SingleSignOnBegun, Problem> {
    require_fresh(scoped).await?;
    if scoped.hub.settings.provider.is_none() {
        let problem = Problem::new(ProblemCode::NotFound, "This server has no provider of single sign-on");
        return Err(problem.hint("Start it with `--oidc-issuer`"));
    }
    let code = scoped.hub.create_code(scoped.caller.person_id(), None)?;
    Ok(SingleSignOnBegun { path: format!("/login/oidc?link={code}") })
}

/// Adds a method of the caller, or replaces it.
pub(super) async fn add(
    scoped: &Scoped,
    kind: LogInMethodKind,
    id: String,
    secret: String,
    label: String,
) -> Result<LogInMethods, Problem> {
    let person = scoped.caller.person_id().to_owned();
    let kind = kind.as_str().to_owned();
    let event = Event::LogInMethodAdded { person: person.clone(), method: kind.clone(), label: label.clone() };
    let created_at = clock::now().0;
    let method = LogInMethod { kind, id, person_id: person, secret, label, created_at, last_used_at: None };
    if !scoped.signed().await.put_login_method(&method, event).await.map_err(problem)? {
        return Err(Problem::field("/credential", "a passkey that nobody else uses"));
    }
    list_login_methods(scoped).await
}

impl Hub {
    /// Returns the ways besides links in which anybody logs in.
    pub async fn login_ways(&self) -> Result<Vec<LogInMethodKind>, Problem> {
        let mut ways = Vec::new();
        for kind in [LogInMethodKind::Password, LogInMethodKind::Passkey] {
            if self.workspace.has_login_method(kind.as_str()).await.map_err(problem)? {
                ways.push(kind);
            }
        }
        Ok(ways)
    }
}

/// A log-in doesn't wait for room on the disk.
pub(super) async fn note_use(hub: &Hub, method: &LogInMethod) {
    let now = clock::now();
    report(hub.workspace.use_login_method(method, now).await);
}
