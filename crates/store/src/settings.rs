//! Projects, log-ins and small values.

use crate::{StoreError, Workspace};
use model::Micros;

/// Does Verbatim read a folder's transcripts?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Following {
    /// Found, not yet agreed to.
    Waiting,
    Following,
    Paused,
    Excluded,
}

/// What a person decided about a project folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    pub path: String,
    pub following: Following,
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
}

impl Workspace {
    /// By path.
    pub async fn projects(&self) -> Result<Vec<Project>, StoreError> { unimplemented!() }
    pub async fn project(&self, path: &str) -> Result<Option<Project>, StoreError> { unimplemented!() }
    pub async fn put_project(&self, project: &Project) -> Result<(), StoreError> { unimplemented!() }
    pub async fn put_login(&self, login: &Login) -> Result<(), StoreError> { unimplemented!() }
    /// Expired ones are returned too: the caller knows the time.
    pub async fn login(&self, hash: &str) -> Result<Option<Login>, StoreError> { unimplemented!() }
    /// Sets the time of last use.
    pub async fn touch_login(&self, hash: &str, now: Micros) -> Result<(), StoreError> { unimplemented!() }
    pub async fn delete_login(&self, hash: &str) -> Result<(), StoreError> { unimplemented!() }
    /// Deletes log-ins that expired before `now`.
    pub async fn delete_expired_logins(&self, now: Micros) -> Result<u64, StoreError> { unimplemented!() }
    /// Last used first.
    pub async fn logins(&self) -> Result<Vec<Login>, StoreError> { unimplemented!() }
    pub async fn meta(&self, key: &str) -> Result<Option<String>, StoreError> { unimplemented!() }
    pub async fn put_meta(&self, key: &str, value: &str) -> Result<(), StoreError> { unimplemented!() }
}
