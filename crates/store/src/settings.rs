//! Projects, log-ins and small values.

use crate::meta::{META, PUT_META};
use crate::permission::{Following, Permission};
use crate::step::Step;
use crate::store::{on, on_step, on_tx};
use crate::{StoreError, Workspace};
use model::audit::Event;
use model::{Micros, browser};

/// A person's decision on a project folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    pub path: String,
    pub following: Following,
    /// Where the folder led then, if it is a link: the word is about that place.
    pub leads_to: Option<String>,
    pub updated_at: Micros,
}

/// A log-in. Only a hash of its secret is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Login {
    /// Hash of the secret, in hex.
    pub hash: String,
    pub created_at: Micros,
    pub expires_at: Micros,
    pub last_used_at: Micros,
    /// For people: the browser.
    pub label: String,
    /// Hash of the second secret, in hex. None of log-ins from before there was one: they can't change anything.
    pub secret_hash: Option<String>,
    /// Id of the person.
    pub person: String,
}

impl Login {
    /// Names the log-in with this hash of its secret; it opens nothing.
    pub fn id_of(hash: &str) -> &str {
        hash.get(..16).unwrap_or(hash)
    }
}

type LoginRow = (String, i64, i64, i64, String, Option<String>, String);

/// Runs one statement in its own transaction; gives the number of changed rows. `tells event` makes an entry in the
/// audit log if there are any.
macro_rules! change {
    ($workspace:expr, $(tells $event:expr,)? $sql:literal $(, $value:expr)*) => {{
        let mut tx = $workspace.store.begin().await?;
        let rows = $crate::store::on_tx!(&mut tx, c => {
            sqlx::query($sql).bind($workspace.id())$(.bind($value))*.execute(c).await.map(|done| done.rows_affected())
        })?;
        let events = std::iter::empty()$(.chain((rows > 0).then(|| $event)))?;
        $workspace.commit_telling(tx, events).await?;
        rows
    }};
}
pub(crate) use change;

impl Workspace {
    /// By path.
    pub async fn projects(&self) -> Result<Vec<Project>, StoreError> {
        let rows: Vec<ProjectRow> = on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT path, following, leads_to, updated_at FROM project WHERE workspace_id = $1 ORDER BY path",
            )
            .bind(self.id()).fetch_all(pool).await
        })?;
        rows.into_iter().map(project).collect()
    }

    /// Waits for what is being written: a batch that depends on the word before is there when this returns.
    pub async fn put_project(&self, project: &Project) -> Result<(), StoreError> {
        let mut tx = self.store.begin().await?;
        let mut step = Step::begin(&mut tx, self.id(), project.updated_at).await?;
        on_step!(step, c => {
            sqlx::query(
                "INSERT INTO project (workspace_id, path, following, leads_to, updated_at) VALUES ($1, $2, $3, $4, $5) \
                 ON CONFLICT (workspace_id, path) DO UPDATE SET following = excluded.following, \
                 leads_to = excluded.leads_to, updated_at = excluded.updated_at",
            )
            .bind(self.id()).bind(&project.path).bind(project.following.as_str()).bind(&project.leads_to)
            .bind(project.updated_at.0).execute(c).await.map(drop)
        })?;
        step.end().await?;
        let state = project.following.as_str().to_owned();
        let changed = Event::FolderChanged { folder: project.path.clone(), leads_to: project.leads_to.clone(), state };
        self.commit_telling(tx, [changed]).await
    }

    pub async fn put_login(&self, login: &Login) -> Result<(), StoreError> {
        change!(
            self,
            tells Event::LogInBegan,
            "INSERT INTO login (workspace_id, hash, created_at, expires_at, last_used_at, label, secret_hash, person_id) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (workspace_id, hash) DO UPDATE SET \
             expires_at = excluded.expires_at, last_used_at = excluded.last_used_at, label = excluded.label, \
             secret_hash = excluded.secret_hash",
            &login.hash,
            login.created_at.0,
            login.expires_at.0,
            login.last_used_at.0,
            login.label.replace('\0', ""),
            &login.secret_hash,
            &login.person
        );
        Ok(())
    }

    /// Expired ones are returned too: the caller knows the time.
    pub async fn login(&self, hash: &str) -> Result<Option<Login>, StoreError> {
        let row: Option<LoginRow> = on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT hash, created_at, expires_at, last_used_at, label, secret_hash, person_id FROM login \
                 WHERE workspace_id = $1 AND hash = $2",
            )
            .bind(self.id()).bind(hash).fetch_optional(pool).await
        })?;
        Ok(row.map(login))
    }

    /// Sets the time of last use.
    pub async fn touch_login(&self, hash: &str, now: Micros) -> Result<(), StoreError> {
        change!(self, "UPDATE login SET last_used_at = $3 WHERE workspace_id = $1 AND hash = $2", hash, now.0);
        Ok(())
    }

    pub async fn delete_login(&self, hash: &str) -> Result<(), StoreError> {
        let mut tx = self.store.begin().await?;
        let ended: Vec<(String, String)> = on_tx!(&mut tx, c => {
            sqlx::query_as("DELETE FROM login WHERE workspace_id = $1 AND hash = $2 RETURNING hash, label")
                .bind(self.id()).bind(hash).fetch_all(c).await
        })?;
        self.commit_telling(tx, ended.into_iter().map(login_ended)).await
    }

    /// Deletes log-ins that expired at `now` or before; tells how many.
    pub async fn delete_expired_logins(&self, now: Micros) -> Result<u64, StoreError> {
        let mut tx = self.store.begin().await?;
        let ended: Vec<(String, String)> = on_tx!(&mut tx, c => {
            sqlx::query_as("DELETE FROM login WHERE workspace_id = $1 AND expires_at <= $2 RETURNING hash, label")
                .bind(self.id()).bind(now.0).fetch_all(c).await
        })?;
        let many = ended.len() as u64;
        self.commit_telling(tx, ended.into_iter().map(login_ended)).await?;
        Ok(many)
    }

    /// Last used first.
    pub async fn logins(&self) -> Result<Vec<Login>, StoreError> {
        let rows: Vec<LoginRow> = on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT hash, created_at, expires_at, last_used_at, label, secret_hash, person_id FROM login WHERE workspace_id = $1 \
                 ORDER BY last_used_at DESC, hash",
            )
            .bind(self.id()).fetch_all(pool).await
        })?;
        Ok(rows.into_iter().map(login).collect())
    }

    pub async fn meta(&self, key: &str) -> Result<Option<String>, StoreError> {
        Ok(on!(&self.store, pool => {
            sqlx::query_scalar(META).bind(self.id()).bind(key).fetch_optional(pool).await
        })?)
    }

    /// Returns the values whose keys are `prefix`, or begin with it and a slash, with their keys, in order.
    pub async fn metas(&self, prefix: &str) -> Result<Vec<(String, String)>, StoreError> {
        Ok(on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT key, value FROM meta WHERE workspace_id = $1 AND (key = $2 OR key > $3 AND key < $4) ORDER BY key",
            )
            .bind(self.id()).bind(prefix).bind(format!("{prefix}/")).bind(format!("{prefix}0")).fetch_all(pool).await
        })?)
    }

    /// Deletes a value.
    pub async fn delete_meta(&self, key: &str) -> Result<(), StoreError> {
        change!(self, "DELETE FROM meta WHERE workspace_id = $1 AND key = $2", key);
        Ok(())
    }

    /// Stores what `change` makes of a value, in one transaction, and returns it; None leaves the stored one. Beside
    /// the value stands an event for the audit log, if there is one.
    pub async fn change_meta(
        &self,
        key: &str,
        now: Micros,
        change: impl FnOnce(Option<String>) -> (Option<String>, Option<Event>) + Send,
    ) -> Result<Option<String>, StoreError> {
        let mut tx = self.store.begin().await?;
        let mut step = Step::begin(&mut tx, self.id(), now).await?;
        let stored: Option<String> = on_step!(step, c => {
            sqlx::query_scalar(META).bind(self.id()).bind(key).fetch_optional(c).await
        })?;
        let (changed, event) = change(stored);
        if let Some(value) = &changed {
            on_step!(step, c => {
                sqlx::query(PUT_META).bind(self.id()).bind(key).bind(value).execute(c).await.map(drop)
            })?;
        }
        step.end().await?;
        self.commit_telling(tx, event).await?;
        Ok(changed)
    }
}

const WORD: &str = "SELECT following, leads_to FROM project WHERE workspace_id = $1 AND path = $2";

/// A decision on a folder, and the folder's target at that time.
type Word = (String, Option<String>);

/// Returns whether a folder is to be followed now.
pub(crate) async fn may_follow(step: &mut Step<'_>, permission: &Permission) -> Result<bool, StoreError> {
    let said: Option<Word> = on_step!(step, c => {
        sqlx::query_as(WORD).bind(step.workspace).bind(&permission.folder).fetch_optional(c).await
    })?;
    let said = match &said {
        Some((word, leads_to)) => Some((following(word)?, leads_to.as_deref())),
        None => None,
    };
    Ok(permission.word(said) == Following::Following)
}

fn following(word: &str) -> Result<Following, StoreError> {
    Following::parse(word).ok_or_else(|| StoreError::Corrupt(format!("a project that is followed `{word}`")))
}

type ProjectRow = (String, String, Option<String>, i64);

fn project((path, following, leads_to, updated_at): ProjectRow) -> Result<Project, StoreError> {
    Ok(Project { path, following: self::following(&following)?, leads_to, updated_at: Micros(updated_at) })
}

fn login((hash, created_at, expires_at, last_used_at, label, secret_hash, person): LoginRow) -> Login {
    Login {
        hash,
        created_at: Micros(created_at),
        expires_at: Micros(expires_at),
        last_used_at: Micros(last_used_at),
        label,
        secret_hash,
        person,
    }
}

fn login_ended((hash, label): (String, String)) -> Event {
    Event::LogInEnded { login: Login::id_of(&hash).to_owned(), browser: browser::name(&label) }
}
