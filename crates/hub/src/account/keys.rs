//! Agent keys: `vbt_<id>_<secret>_<check>`, of which neither part has an underscore. Only a hash of the secret is kept.

use crate::account::login::{bytes, hash, same_secret, short_id};
use crate::basics::{clock, hex, moment, problem};
use crate::caller::{Agent, Caller};
use crate::context::caller_cache::KnownKey;
use crate::context::{Hub, Scoped};
use api::keys::{EditKey, KeyInfo, KeyMade, Keys, NewKey, Quota, Scope};
use api::{Problem, ProblemCode};
use jiff::tz::TimeZone;
use model::Micros;
use model::text::is_blank;
use std::sync::Arc;
use store::{AgentKey, Usage, Workspace};

const PREFIX: &str = "vbt_";
/// Prefix of older keys. They are still valid.
const OLD_PREFIX: &str = "vbt_ag_";
const NAME_CHARS: usize = 200;
/// Default quota of a key: enough for months of busy agents, and less than a disk holds.
const QUOTA: Usage = Usage { messages: 5_000_000, bytes: 10_000_000_000 };
/// The highest quota: no disk holds more, and sums of it stay whole numbers in JSON.
const MOST: i64 = 1_000_000_000_000_000;

/// Methods that change keys take the workspace as the caller signs it ([`Workspace::signed`]).
impl Hub {
    pub async fn create_key(&self, by: &Workspace, input: NewKey) -> Result<KeyMade, Problem> {
        let name = input.name.trim();
        if name.is_empty() || name.chars().count() > NAME_CHARS {
            return Err(Problem::field(
                "/name",
                &format!("the name of the program that uses the key, 1 to {NAME_CHARS} characters"),
            ));
        }
        if name.chars().any(char::is_control) || is_blank(name) {
            return Err(Problem::field("/name", "one line of visible characters"));
        }
        let now = clock::now();
        let end = |at| moment::end("/expires_at", &moment::text(&at), &TimeZone::system());
        let expires_at = input.expires_at.map(end).transpose()?;
        if expires_at.is_some_and(|at| at <= now || !moment::is_shown(at)) {
            return Err(Problem::field("/expires_at", "a time in the future, before the year 10000"));
        }
        // By default, an agent doesn't see other agents' sessions.
        let mut scopes = input.scopes.unwrap_or_else(|| vec![Scope::Post, Scope::Read, Scope::Mirror]);
        if scopes.is_empty() {
            let all: Vec<String> = Scope::WORDS.iter().map(|word| format!("`{word}`")).collect();
            return Err(Problem::field("/scopes", &format!("absent, or some of {}", all.join(", "))));
        }
        scopes.sort();
        scopes.dedup();
        let quota = quota_after(QUOTA, input.quota.unwrap_or_default())?;
        let (id, secret) = (short_id()?, hex(&bytes::<32>()?));
        let stored = AgentKey {
            id: id.clone(),
            name: name.to_owned(),
            hash: hex(&hash(&secret)),
            scopes: scopes.iter().map(|scope| scope.as_str().to_owned()).collect(),
            created_at: now,
            expires_at,
            last_used_at: None,
            revoked_at: None,
            posted: Usage::default(),
            quota,
        };
        by.put_agent_key(&stored).await.map_err(problem)?;
        if expires_at.is_some() {
            // It may be the next one that expires.
            self.revoked.send_modify(|count| *count += 1);
        }
        let body = format!("{PREFIX}{id}_{secret}");
        let key = format!("{body}_{:08x}", crc32fast::hash(body.as_bytes()));
        Ok(KeyMade { id, key, name: stored.name, scopes })
    }

    pub async fn list_keys(&self) -> Result<Keys, Problem> {
        let keys = self.workspace.agent_keys().await.map_err(problem)?;
        let count = |key: AgentKey| AgentKey { posted: self.quotas.posted(&key.id, key.posted), ..key };
        Ok(Keys { keys: keys.into_iter().map(count).map(info).collect() })
    }

    pub async fn edit_key(&self, by: &Workspace, id: &str, input: EditKey) -> Result<Keys, Problem> {
        let none = || Problem::not_found("valid key");
        let key = self.workspace.agent_key(id).await.map_err(problem)?.ok_or_else(none)?;
        let quota = quota_after(key.quota, input.quota)?;
        if !by.set_quota(id, quota).await.map_err(problem)? {
            return Err(none());
        }
        // Keys are remembered for a while: this one is read again.
        self.revoked.send_modify(|count| *count += 1);
        self.list_keys().await
    }

    pub async fn revoke_key(&self, by: &Workspace, id: &str) -> Result<Keys, Problem> {
        let name = self.workspace.agent_key(id).await.map_err(problem)?.map(|key| key.name);
        if !by.revoke_agent_key(id, clock::now()).await.map_err(problem)? {
            return Err(Problem::not_found("valid key"));
        }
        self.revoked.send_modify(|count| *count += 1);
        self.tell_revoked(id, name.unwrap_or_default()).await;
        self.list_keys().await
    }

    /// Whose key it is, if it still holds. Notes its use at most once a minute.
    pub async fn agent(&self, key: &str) -> Result<Option<Caller>, Problem> {
        let Some((id, secret)) = parse(key) else { return Ok(None) };
        let now = clock::now();
        // Counted before it is read: what is revoked in between is read again.
        let revocations = *self.revoked.borrow();
        let mut known = match self.caller_cache.key(id, revocations, now) {
            Some(known) => known,
            None => match self.workspace.agent_key(id).await.map_err(problem)? {
                Some(key) if holds(&key, now) => {
                    self.quotas.learn(&key.id, key.posted);
                    let is_machines = key.scopes.iter().any(|scope| scope == Scope::Forward.as_str());
                    let machine = if is_machines { self.workspace.machine_of_key(id).await } else { Ok(None) };
                    known_key(key, machine.map_err(problem)?, now, revocations)
                }
                _ => return Ok(None),
            },
        };
        if known.expires_at.is_some_and(|at| at <= now) || !same_secret(&hex(&hash(secret)), &known.hash) {
            return Ok(None);
        }
        if !known.used_at.is_within(60 * Micros::SECOND, now) {
            self.note_key_use(id.to_owned());
            known.used_at = now;
        }
        let caller = Caller::Agent(Arc::clone(&known.agent));
        if known.read_at == now || known.used_at == now {
            self.caller_cache.remember_key(known);
        }
        Ok(Some(caller))
    }

    /// How long the key behind a stream holds, unless something happens; None if it doesn't.
    pub async fn key_holds_until(&self, id: &str) -> Result<Option<Micros>, Problem> {
        let known = self.workspace.agent_key(id).await.map_err(problem)?;
        let known = known.filter(|key| holds(key, clock::now()));
        Ok(known.map(|key| key.expires_at.unwrap_or(clock::NEVER)))
    }
}

fn known_key(key: AgentKey, machine: Option<String>, now: Micros, revocations: u64) -> KnownKey {
    let scopes = key.scopes.iter().filter_map(|word| Scope::parse(word)).collect();
    KnownKey {
        hash: key.hash,
        expires_at: key.expires_at,
        used_at: key.last_used_at.unwrap_or_default(),
        read_at: now,
        revocations,
        agent: Arc::new(Agent { id: key.id, name: key.name, scopes, quota: key.quota, machine }),
    }
}

fn quota_after(before: Usage, input: Quota) -> Result<Usage, Problem> {
    let given = |field: &str, given: Option<i64>, before: i64| match given {
        Some(most) if !(1..=MOST).contains(&most) => Err(Problem::field(field, "a number from 1 to 10^15")),
        given => Ok(given.unwrap_or(before)),
    };
    Ok(Usage {
        messages: given("/quota/messages", input.messages, before.messages)?,
        bytes: given("/quota/bytes", input.bytes, before.bytes)?,
    })
}

fn holds(key: &AgentKey, now: Micros) -> bool {
    key.revoked_at.is_none() && key.expires_at.is_none_or(|at| at > now)
}

/// Id and secret of what is written like a key. The checksum tells a mistyped one without asking the store.
fn parse(key: &str) -> Option<(&str, &str)> {
    let (body, checksum) = key.rsplit_once('_')?;
    if format!("{:08x}", crc32fast::hash(body.as_bytes())) != checksum {
        return None;
    }
    body.strip_prefix(OLD_PREFIX).or_else(|| body.strip_prefix(PREFIX))?.split_once('_')
}

fn info(key: AgentKey) -> KeyInfo {
    KeyInfo {
        scopes: key.scopes.iter().filter_map(|word| Scope::parse(word)).collect(),
        id: key.id,
        name: key.name,
        created_at: key.created_at,
        expires_at: key.expires_at,
        last_used_at: key.last_used_at,
        revoked_at: key.revoked_at,
        posted: usage(key.posted),
        quota: usage(key.quota),
    }
}

fn usage(usage: Usage) -> api::keys::Usage {
    api::keys::Usage { messages: usage.messages, bytes: usage.bytes }
}

/// How long the key that waits here holds, if it still does: it may have been revoked.
pub async fn holds_until(scoped: &Scoped) -> Result<Micros, Problem> {
    let Some(id) = scoped.caller.key_id() else { return Ok(clock::NEVER) };
    scoped.hub.key_holds_until(id).await?.ok_or_else(|| {
        Problem::new(ProblemCode::Revoked, "This key was revoked or has expired")
            .hint("Create a new one: `verbatim key create`")
    })
}
