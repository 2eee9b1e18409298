//! Browsers that show notifications while no page is open, and the notifications that they show.

use crate::columns::columns;
use crate::settings::change;
use crate::store::{on, on_tx};
use crate::{StoreError, Workspace};
use model::Micros;

columns! {
    /// A browser that takes notifications.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct PushDevice {
        /// Id of its log-in.
        pub login: String,
        /// Address at its push service.
        pub endpoint: String,
        /// Its public key, in Base64 for URLs.
        pub receiver: String,
        /// The secret that it gave beside the key, in Base64 for URLs.
        pub secret: String,
        /// JSON.
        pub settings: String,
        /// Requests up to here were open before, and aren't told.
        pub from_rid: i64,
        /// Microseconds since 1970.
        pub created_at: i64,
        /// Why the last message wasn't taken.
        pub error: Option<String>,
    }
}

/// The kind of a notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PushKind {
    /// A request that waits.
    Ask,
    /// Many requests that wait. It has no session.
    Asks,
    /// A turn that failed.
    Failed,
    /// A turn that is over.
    Finished,
    /// A message that mentions the person.
    Mention,
}

impl PushKind {
    const ALL: [Self; 5] = [Self::Ask, Self::Asks, Self::Failed, Self::Finished, Self::Mention];

    fn as_str(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Asks => "asks",
            Self::Failed => "failed",
            Self::Finished => "finished",
            Self::Mention => "mention",
        }
    }
}

/// The state of a notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PushState {
    /// It is being shown.
    Due,
    /// It was shown.
    Shown,
    /// The one about many requests tells it.
    Summed,
    /// It is being closed.
    Closing,
}

impl PushState {
    const ALL: [Self; 4] = [Self::Due, Self::Shown, Self::Summed, Self::Closing];

    fn as_str(self) -> &'static str {
        match self {
            Self::Due => "due",
            Self::Shown => "shown",
            Self::Summed => "summed",
            Self::Closing => "closing",
        }
    }
}

/// The subject of a notification.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PushSubject {
    pub kind: PushKind,
    /// The session's id; empty for what is about many.
    pub session: String,
    /// The message that asks, or the last one of the turn.
    pub seq: i64,
}

/// A notification of a browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushNotice {
    pub subject: PushSubject,
    pub state: PushState,
    /// The number of requests that it tells of, if it is about many.
    pub count: i64,
    /// Failures in a row.
    pub attempts: i64,
    /// While it is due or closing: until when it is left to the server that took it.
    pub next_at: Micros,
    /// When it was shown last.
    pub told_at: Option<Micros>,
}

columns! {
    struct NoticeRow {
        kind: String,
        session_id: String,
        seq: i64,
        state: String,
        count: i64,
        attempts: i64,
        next_at: i64,
        told_at: Option<i64>,
    }
}

impl Workspace {
    /// Stores a browser, over what was known of it.
    pub async fn put_push_device(&self, device: &PushDevice) -> Result<(), StoreError> {
        change!(
            self,
            "INSERT INTO push_device (workspace_id, login, endpoint, receiver, secret, settings, from_rid, created_at, error) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (workspace_id, login) DO UPDATE SET \
             endpoint = excluded.endpoint, receiver = excluded.receiver, secret = excluded.secret, \
             settings = excluded.settings, error = excluded.error",
            &device.login,
            &device.endpoint,
            &device.receiver,
            &device.secret,
            &device.settings,
            device.from_rid,
            device.created_at,
            &device.error
        );
        Ok(())
    }

    /// Returns all browsers, also those whose log-in has ended.
    pub async fn push_devices(&self) -> Result<Vec<PushDevice>, StoreError> {
        Ok(on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT login, endpoint, receiver, secret, settings, from_rid, created_at, error FROM push_device \
                 WHERE workspace_id = $1 ORDER BY login",
            )
            .bind(self.id()).fetch_all(pool).await
        })?)
    }

    /// Deletes a browser with its notifications.
    pub async fn delete_push_device(&self, login: &str) -> Result<(), StoreError> {
        const PARTS: [&str; 2] = [
            "DELETE FROM push_notice WHERE workspace_id = $1 AND login = $2",
            "DELETE FROM push_device WHERE workspace_id = $1 AND login = $2",
        ];
        let mut tx = self.store.begin().await?;
        for part in PARTS {
            on_tx!(&mut tx, c => sqlx::query(part).bind(self.id()).bind(login).execute(c).await.map(drop))?;
        }
        tx.commit().await
    }

    /// Notes why a browser's push service refused a message; None once it took one.
    pub async fn note_push_error(&self, login: &str, error: Option<&str>) -> Result<(), StoreError> {
        change!(self, "UPDATE push_device SET error = $3 WHERE workspace_id = $1 AND login = $2", login, error);
        Ok(())
    }

    /// Returns the notifications of a browser.
    pub async fn push_notices(&self, login: &str) -> Result<Vec<PushNotice>, StoreError> {
        let rows: Vec<NoticeRow> = on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT kind, session_id, seq, state, count, attempts, next_at, told_at FROM push_notice \
                 WHERE workspace_id = $1 AND login = $2 ORDER BY kind, session_id, seq",
            )
            .bind(self.id()).bind(login).fetch_all(pool).await
        })?;
        rows.into_iter().map(notice).collect()
    }

    /// Takes a notification, in the state that `notice` has, until its `next_at`. Returns false if another server has it,
    /// or if it isn't as it was `before` any more. None: there was none.
    pub async fn take_push_notice(
        &self,
        login: &str,
        before: Option<&PushNotice>,
        notice: &PushNotice,
    ) -> Result<bool, StoreError> {
        let PushNotice { subject, state, count, attempts, next_at, told_at } = notice;
        let rows = match before {
            None => change!(
                self,
                "INSERT INTO push_notice (workspace_id, login, kind, session_id, seq, state, count, attempts, next_at, told_at) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING",
                login,
                subject.kind.as_str(),
                &subject.session,
                subject.seq,
                state.as_str(),
                *count,
                *attempts,
                next_at.0,
                told_at.map(|at| at.0)
            ),
            Some(before) => change!(
                self,
                "UPDATE push_notice SET state = $6, count = $7, attempts = $8, next_at = $9, told_at = $10 \
                 WHERE workspace_id = $1 AND login = $2 AND kind = $3 AND session_id = $4 AND seq = $5 \
                 AND state = $11 AND next_at = $12",
                login,
                subject.kind.as_str(),
                &subject.session,
                subject.seq,
                state.as_str(),
                *count,
                *attempts,
                next_at.0,
                told_at.map(|at| at.0),
                before.state.as_str(),
                before.next_at.0
            ),
        };
        Ok(rows > 0)
    }

    /// Deletes a notification.
    pub async fn delete_push_notice(&self, login: &str, subject: &PushSubject) -> Result<(), StoreError> {
        change!(
            self,
            "DELETE FROM push_notice WHERE workspace_id = $1 AND login = $2 AND kind = $3 AND session_id = $4 AND seq = $5",
            login,
            subject.kind.as_str(),
            &subject.session,
            subject.seq
        );
        Ok(())
    }
}

fn notice(row: NoticeRow) -> Result<PushNotice, StoreError> {
    let unknown = |what: &str| StoreError::Corrupt(format!("a notification of the unknown {what}"));
    let kind = PushKind::ALL.into_iter().find(|kind| kind.as_str() == row.kind).ok_or_else(|| unknown(&row.kind))?;
    let state = PushState::ALL.into_iter().find(|state| state.as_str() == row.state);
    Ok(PushNotice {
        subject: PushSubject { kind, session: row.session_id, seq: row.seq },
        state: state.ok_or_else(|| unknown(&row.state))?,
        count: row.count,
        attempts: row.attempts,
        next_at: Micros(row.next_at),
        told_at: row.told_at.map(Micros),
    })
}
