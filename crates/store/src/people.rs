//! People, their invitations, and who sees which projects.

use crate::columns::columns;
use crate::settings::change;
use crate::store::{Tx, on, on_tx};
use crate::{StoreError, Workspace};
use model::Micros;
use model::audit::Event;
use std::collections::BTreeMap;

/// Id of the owner of the machine, who is there without a row.
pub const OWNER: &str = "owner";

/// The small value that counts changes of people.
pub(crate) const CHANGES: &str = "people_changes";

columns! {
    /// A person who may log in.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Person {
        pub id: String,
        pub name: String,
        /// `owner`, `member` or `viewer`.
        pub role: String,
        /// Microseconds since 1970.
        pub added_at: i64,
        /// When the invitation expires that wasn't used yet, in microseconds since 1970.
        pub invited_until: Option<i64>,
    }
}

impl Workspace {
    /// Everybody who wasn't removed, in the order in which they were added.
    pub async fn people(&self) -> Result<Vec<Person>, StoreError> {
        Ok(on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT p.id, p.name, p.role, p.added_at, i.expires_at AS invited_until FROM person p LEFT JOIN invitation i \
                 ON i.workspace_id = p.workspace_id AND i.person_id = p.id \
                 WHERE p.workspace_id = $1 AND p.removed_at IS NULL ORDER BY p.added_at, p.id",
            )
            .bind(self.id()).fetch_all(pool).await
        })?)
    }

    /// Name and role of somebody who wasn't removed.
    pub async fn person(&self, id: &str) -> Result<Option<(String, String)>, StoreError> {
        Ok(on!(&self.store, pool => {
            sqlx::query_as("SELECT name, role FROM person WHERE workspace_id = $1 AND id = $2 AND removed_at IS NULL")
                .bind(self.id()).bind(id).fetch_optional(pool).await
        })?)
    }

    /// Id of the person with a name, however it is written, and whether they were removed.
    pub async fn person_named(&self, name: &str) -> Result<Option<(String, bool)>, StoreError> {
        let found: Option<(String, i64)> = on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT id, CAST(CASE WHEN removed_at IS NULL THEN 0 ELSE 1 END AS BIGINT) AS removed FROM person \
                 WHERE workspace_id = $1 AND name_key = $2 ORDER BY 2, id LIMIT 1",
            )
            .bind(self.id()).bind(name.to_lowercase()).fetch_optional(pool).await
        })?;
        Ok(found.map(|(id, removed)| (id, removed != 0)))
    }

    /// Adds a person, or changes their name and role. False if somebody else has the name.
    pub async fn put_person(&self, person: &Person, event: Event) -> Result<bool, StoreError> {
        let key = person.name.to_lowercase();
        let mut tx = self.store.begin().await?;
        let others: i64 = on_tx!(&mut tx, c => {
            sqlx::query_scalar(
                "SELECT COUNT(*) FROM person WHERE workspace_id = $1 AND name_key = $2 AND id <> $3 AND removed_at IS NULL",
            )
            .bind(self.id()).bind(&key).bind(&person.id).fetch_one(c).await
        })?;
        if others > 0 {
            return Ok(false);
        }
        on_tx!(&mut tx, c => {
            sqlx::query(
                "INSERT INTO person (workspace_id, id, name, name_key, role, added_at) VALUES ($1, $2, $3, $4, $5, $6) \
                 ON CONFLICT (workspace_id, id) DO UPDATE SET name = excluded.name, name_key = excluded.name_key, \
                 role = excluded.role",
            )
            .bind(self.id()).bind(&person.id).bind(&person.name).bind(&key).bind(&person.role).bind(person.added_at)
            .execute(c).await.map(drop)
        })?;
        self.commit_people(tx, event).await?;
        Ok(true)
    }

    /// Removes a person with their log-ins and invitation. Their name stays for what they did.
    pub async fn remove_person(&self, id: &str, now: Micros, event: Event) -> Result<(), StoreError> {
        let mut tx = self.store.begin().await?;
        on_tx!(&mut tx, c => {
            sqlx::query("UPDATE person SET removed_at = $3 WHERE workspace_id = $1 AND id = $2 AND removed_at IS NULL")
                .bind(self.id()).bind(id).bind(now.0).execute(c).await.map(drop)
        })?;
        for statement in [
            "DELETE FROM invitation WHERE workspace_id = $1 AND person_id = $2",
            "DELETE FROM project_person WHERE workspace_id = $1 AND person_id = $2",
            "DELETE FROM login WHERE workspace_id = $1 AND person_id = $2",
            // An account at a provider is known as that of somebody who was removed.
            "DELETE FROM login_method WHERE workspace_id = $1 AND person_id = $2 AND kind <> 'single_sign_on'",
        ] {
            on_tx!(&mut tx, c => sqlx::query(statement).bind(self.id()).bind(id).execute(c).await.map(drop))?;
        }
        self.commit_people(tx, event).await
    }

    /// Commits, and tells other servers on the database that people changed.
    async fn commit_people(&self, mut tx: Tx, event: Event) -> Result<(), StoreError> {
        on_tx!(&mut tx, c => {
            sqlx::query(
                "INSERT INTO meta (workspace_id, key, value) VALUES ($1, $2, '1') ON CONFLICT (workspace_id, key) \
                 DO UPDATE SET value = CAST(CAST(meta.value AS BIGINT) + 1 AS TEXT)",
            )
            .bind(self.id()).bind(CHANGES).execute(c).await.map(drop)
        })?;
        self.commit_telling(tx, [event]).await
    }

    /// Stores the hash of an invitation, in hex. The one before doesn't hold any more.
    pub async fn put_invitation(
        &self,
        person: &str,
        hash: &str,
        until: Micros,
        event: Event,
    ) -> Result<(), StoreError> {
        change!(
            self,
            tells event,
            "INSERT INTO invitation (workspace_id, person_id, hash, expires_at) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (workspace_id, person_id) DO UPDATE SET hash = excluded.hash, expires_at = excluded.expires_at",
            person,
            hash,
            until.0
        );
        Ok(())
    }

    /// Uses an invitation up. Returns whose it was, unless it has expired. Guesses of strangers write nothing. Who needs
    /// an invitation has no password, or has forgotten it: none holds after that.
    pub async fn take_invitation(&self, hash: &str, now: Micros) -> Result<Option<String>, StoreError> {
        let known: Option<String> = on!(&self.store, pool => {
            sqlx::query_scalar("SELECT person_id FROM invitation WHERE workspace_id = $1 AND hash = $2")
                .bind(self.id()).bind(hash).fetch_optional(pool).await
        })?;
        if known.is_none() {
            return Ok(None);
        }
        let mut tx = self.store.begin().await?;
        let taken: Option<(String, i64)> = on_tx!(&mut tx, c => {
            sqlx::query_as(
                "DELETE FROM invitation WHERE workspace_id = $1 AND hash = $2 RETURNING person_id, expires_at",
            )
            .bind(self.id()).bind(hash).fetch_optional(c).await
        })?;
        let person = taken.filter(|(_, until)| *until > now.0).map(|(person, _)| person);
        if let Some(person) = &person {
            on_tx!(&mut tx, c => {
                sqlx::query("DELETE FROM login_method WHERE workspace_id = $1 AND kind = 'password' AND id = $2")
                    .bind(self.id()).bind(person).execute(c).await.map(drop)
            })?;
        }
        tx.commit().await?;
        Ok(person)
    }

    /// Returns the restricted projects, each with the people who see it besides owners.
    pub async fn restricted_projects(&self) -> Result<BTreeMap<String, Vec<String>>, StoreError> {
        let rows: Vec<(String, String)> = on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT project, person_id FROM project_person WHERE workspace_id = $1 ORDER BY project, person_id",
            )
            .bind(self.id()).fetch_all(pool).await
        })?;
        let mut projects: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (project, person) in rows {
            projects.entry(project).or_default().extend((person != OWNER).then_some(person));
        }
        Ok(projects)
    }

    /// Returns the projects that are restricted to other people.
    pub async fn hidden_projects(&self, person: &str) -> Result<Vec<String>, StoreError> {
        Ok(on!(&self.store, pool => {
            sqlx::query_scalar(
                "SELECT DISTINCT p.project FROM project_person p WHERE p.workspace_id = $1 AND NOT EXISTS (SELECT 1 \
                 FROM project_person o WHERE o.workspace_id = p.workspace_id AND o.project = p.project AND o.person_id = $2) \
                 ORDER BY p.project",
            )
            .bind(self.id()).bind(person).fetch_all(pool).await
        })?)
    }

    /// Sets who sees a project besides owners. None: everybody.
    pub async fn set_project_people(
        &self,
        project: &str,
        people: Option<&[String]>,
        event: Event,
    ) -> Result<(), StoreError> {
        let mut tx = self.store.begin().await?;
        on_tx!(&mut tx, c => {
            sqlx::query("DELETE FROM project_person WHERE workspace_id = $1 AND project = $2")
                .bind(self.id()).bind(project).execute(c).await.map(drop)
        })?;
        let mut named: Vec<&str> = Vec::new();
        if let Some(people) = people {
            named.push(OWNER);
            named.extend(people.iter().map(String::as_str));
        }
        for person in named {
            on_tx!(&mut tx, c => {
                sqlx::query(
                    "INSERT INTO project_person (workspace_id, project, person_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                )
                .bind(self.id()).bind(project).bind(person).execute(c).await.map(drop)
            })?;
        }
        self.commit_people(tx, event).await
    }
}
