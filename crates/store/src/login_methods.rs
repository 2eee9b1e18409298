//! How people log in besides links: passwords, passkeys, and providers of single sign-on.

use crate::columns::columns;
use crate::settings::change;
use crate::store::on;
use crate::{StoreError, Workspace};
use model::Micros;
use model::audit::Event;

columns! {
    /// A password, a passkey, or the account of a person at a provider.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct LogInMethod {
        /// `password`, `passkey` or `single_sign_on`.
        pub kind: String,
        /// Id of the person for a password, of the credential for a passkey, of the account at the provider otherwise.
        pub id: String,
        pub person_id: String,
        /// Hash of the password, or public key of the passkey. It logs nobody in by itself.
        pub secret: String,
        pub label: String,
        /// Microseconds since 1970.
        pub created_at: i64,
        pub last_used_at: Option<i64>,
    }
}

impl Workspace {
    /// Returns the methods of a person, oldest first.
    pub async fn login_methods(&self, person: &str) -> Result<Vec<LogInMethod>, StoreError> {
        Ok(on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT kind, id, person_id, secret, label, created_at, last_used_at FROM login_method \
                 WHERE workspace_id = $1 AND person_id = $2 ORDER BY created_at, kind, id",
            )
            .bind(self.id()).bind(person).fetch_all(pool).await
        })?)
    }

    pub async fn login_method(&self, kind: &str, id: &str) -> Result<Option<LogInMethod>, StoreError> {
        Ok(on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT kind, id, person_id, secret, label, created_at, last_used_at FROM login_method \
                 WHERE workspace_id = $1 AND kind = $2 AND id = $3",
            )
            .bind(self.id()).bind(kind).bind(id).fetch_optional(pool).await
        })?)
    }

    /// Returns whether anybody has a method of this kind.
    pub async fn has_login_method(&self, kind: &str) -> Result<bool, StoreError> {
        let found: Option<i64> = on!(&self.store, pool => {
            sqlx::query_scalar(
                "SELECT CAST(1 AS BIGINT) FROM login_method WHERE workspace_id = $1 AND kind = $2 LIMIT 1",
            )
            .bind(self.id()).bind(kind).fetch_optional(pool).await
        })?;
        Ok(found.is_some())
    }

    /// Adds a method, or replaces its secret if it is that person's. False if it is somebody else's.
    pub async fn put_login_method(&self, method: &LogInMethod, event: Event) -> Result<bool, StoreError> {
        let rows = change!(
            self,
            tells event,
            "INSERT INTO login_method (workspace_id, kind, id, person_id, secret, label, created_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (workspace_id, kind, id) DO UPDATE SET \
             secret = excluded.secret, label = excluded.label, created_at = excluded.created_at, last_used_at = NULL \
             WHERE login_method.person_id = excluded.person_id",
            &method.kind,
            &method.id,
            &method.person_id,
            &method.secret,
            method.label.replace('\0', ""),
            method.created_at
        );
        Ok(rows > 0)
    }

    /// Notes that somebody logged in by a method, whose secret may have changed by that.
    pub async fn use_login_method(&self, method: &LogInMethod, now: Micros) -> Result<(), StoreError> {
        change!(
            self,
            "UPDATE login_method SET secret = $4, last_used_at = $5 WHERE workspace_id = $1 AND kind = $2 AND id = $3",
            &method.kind,
            &method.id,
            &method.secret,
            now.0
        );
        Ok(())
    }

    /// Deletes a method of a person. False if it isn't theirs.
    pub async fn delete_login_method(
        &self,
        person: &str,
        kind: &str,
        id: &str,
        event: Event,
    ) -> Result<bool, StoreError> {
        let rows = change!(
            self,
            tells event,
            "DELETE FROM login_method WHERE workspace_id = $1 AND person_id = $2 AND kind = $3 AND id = $4",
            person,
            kind,
            id
        );
        Ok(rows > 0)
    }
}
