//! Erases a text at a person's request: a secret that was found too late.
//!
//! In messages, their words and the bytes of files a text of the same length takes its place, so that everything keeps
//! its position. Its hash stays: what is imported from now on is stored without the text, whatever its file says.

mod places;

use crate::forget::TO_SWEEP;
use crate::masks::{Mask, Masks, SHORTEST};
use crate::meta::PUT_META;
use crate::pack::{content_hash, unpack, with_packer};
use crate::step::Step;
use crate::store::{on, on_step};
use crate::write::changes::Changes;
use crate::write::{feed, sessions, words};
use crate::{Derive, StoreError, Workspace};
use model::audit::Event;
use model::text::title;
use model::{Draft, Micros, SessionId, SourceId};
use std::collections::BTreeSet;

/// Messages that are read at once.
const PAGE: i64 = 20;

/// Where a text was found, and what becomes of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Erased {
    /// The session, and those that hold copies of its messages.
    pub sessions: Vec<ErasedSession>,
    /// Places in the bytes of files that agents wrote.
    pub ranges: u64,
    /// Entries of what agents were given.
    pub context_entries: u64,
    /// Prompts of schedules, and texts that are being written.
    pub texts: u64,
    /// SHA-256 of the files and pictures, in hex, that contain the text: they are deleted as a whole.
    pub blobs: Vec<String>,
}

impl Erased {
    /// Returns true if the text is nowhere.
    pub fn is_empty(&self) -> bool {
        self.messages() == 0
            && self.ranges == 0
            && self.context_entries == 0
            && self.texts == 0
            && self.blobs.is_empty()
            && !self.sessions.iter().any(|session| session.in_title)
    }

    pub fn messages(&self) -> u64 {
        self.sessions.iter().map(|session| session.messages).sum()
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErasedSession {
    pub id: SessionId,
    pub title: String,
    /// Messages that contain the text.
    pub messages: u64,
    /// The session's title, or its first prompt, contains it.
    pub in_title: bool,
}

/// How messages are found once their text is another one.
#[derive(Clone, Copy)]
pub struct Erasing {
    pub derive: Derive,
    pub is_remembered: fn(&Draft) -> bool,
}

/// A message that contains the text, covered.
struct Covered {
    rid: i64,
    id: String,
    seq: i64,
    revision: i64,
    copied: bool,
    /// Hash of what is stored.
    before: Vec<u8>,
    /// The new row.
    hash: Vec<u8>,
    body: Vec<u8>,
    /// The part of the text that may stand at the end of the session's title.
    cut: Option<String>,
}

/// Messages of a session that contain the text.
#[derive(Default)]
struct Found {
    messages: u64,
    /// Ids of other sessions that hold copies of them.
    copied_to: Vec<String>,
    /// Parts of the text with which titles end.
    cut: Masks,
}

type MessageRow = (i64, String, i64, i64, i64, i64, Vec<u8>, Vec<u8>);

impl Workspace {
    /// Returns the texts that were erased so far.
    pub async fn masks(&self) -> Result<Masks, StoreError> {
        let rows: Vec<(i64, i64, Vec<u8>)> = on!(&self.store, pool => {
            sqlx::query_as("SELECT len, roll, hash FROM erased_text WHERE workspace_id = $1")
                .bind(self.id()).fetch_all(pool).await
        })?;
        let mask =
            |(len, roll, hash): (i64, i64, Vec<u8>)| Mask { len: len as usize, roll: roll.cast_unsigned(), hash };
        Ok(Masks::new(rows.into_iter().map(mask)))
    }

    /// Where the stored bytes of a source aren't those of its file: offset and length, in order.
    pub async fn erased_ranges(&self, source: &SourceId) -> Result<Vec<(u64, u64)>, StoreError> {
        let rows: Vec<(i64, i64)> = on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT r.start_at, r.len FROM source s JOIN erased_range r ON r.workspace_id = s.workspace_id \
                 AND r.source_rid = s.rid WHERE s.workspace_id = $1 AND s.id = $2 ORDER BY r.start_at",
            )
            .bind(self.id()).bind(source.as_str()).fetch_all(pool).await
        })?;
        Ok(rows.into_iter().map(|(start, len)| (start.cast_unsigned(), len.cast_unsigned())).collect())
    }

    /// Looks for a text in a session and in those that hold copies of its messages, and changes nothing. It reads all of
    /// them. None if there is no such session.
    pub async fn find_text(&self, session: &SessionId, text: &str) -> Result<Option<Erased>, StoreError> {
        self.erase(session, &Masks::of_text(text), None).await
    }

    /// Erases the text where [`Workspace::find_text`] finds it, and from everything that is imported afterwards. What was
    /// cut is done again by the same call.
    pub async fn erase_text(
        &self,
        session: &SessionId,
        text: &str,
        how: Erasing,
        now: Micros,
    ) -> Result<Option<Erased>, StoreError> {
        let masks = Masks::of_text(text);
        self.remember(&masks, now).await?;
        let erased = self.erase(session, &masks, Some((how, now))).await?;
        self.sweep().await?;
        Ok(erased)
    }

    /// Stores the hashes of the text first: a file that is read meanwhile must not bring it back.
    async fn remember(&self, masks: &Masks, now: Micros) -> Result<(), StoreError> {
        let mut tx = self.store.begin().await?;
        let mut step = Step::begin(&mut tx, self.id(), now).await?;
        for mask in masks.iter() {
            on_step!(step, c => {
                sqlx::query(
                    "INSERT INTO erased_text (workspace_id, hash, len, roll, erased_at) VALUES ($1, $2, $3, $4, $5) \
                     ON CONFLICT DO NOTHING",
                )
                .bind(step.workspace).bind(&mask.hash).bind(mask.len as i64).bind(mask.roll.cast_signed()).bind(now.0)
                .execute(c).await.map(drop)
            })?;
        }
        on_step!(step, c => {
            sqlx::query(
                "UPDATE workspace SET erased = (SELECT COUNT(*) FROM erased_text e WHERE e.workspace_id = workspace.id) \
                 WHERE id = $1",
            )
            .bind(step.workspace).execute(c).await.map(drop)
        })?;
        let pos = step.pos();
        on_step!(step, c => {
            sqlx::query(PUT_META).bind(step.workspace).bind(TO_SWEEP).bind(pos.to_string()).execute(c).await.map(drop)
        })?;
        step.end().await?;
        tx.commit().await
    }

    async fn erase(
        &self,
        session: &SessionId,
        masks: &Masks,
        how: Option<(Erasing, Micros)>,
    ) -> Result<Option<Erased>, StoreError> {
        let mut erased = Erased::default();
        let (mut known, mut left) = (BTreeSet::from([session.to_string()]), vec![session.to_string()]);
        while let Some(id) = left.pop() {
            let found: Option<(i64, String)> = on!(&self.store, pool => {
                sqlx::query_as(
                    "SELECT rid, COALESCE(own_title, title, first_prompt, key) FROM session \
                     WHERE workspace_id = $1 AND id = $2 AND purged_at IS NULL",
                )
                .bind(self.id()).bind(&id).fetch_optional(pool).await
            })?;
            let Some((rid, mut title)) = found else { continue };
            let id = SessionId::parse(id).map_err(|error| StoreError::Corrupt(error.to_string()))?;
            let found = self.erase_messages((rid, &id), masks, how).await?;
            left.extend(found.copied_to.into_iter().filter(|id| known.insert(id.clone())));
            if let Some((_, now)) = how
                && !found.cut.is_empty()
            {
                self.remember(&found.cut, now).await?;
            }
            let mut of_title = masks.clone();
            of_title.extend(found.cut);
            of_title.cover_text(&mut title);
            let in_title = self.erase_title(&id, &of_title, how.is_some()).await?;
            self.erase_places((rid, &id), masks, how.is_some(), &mut erased).await?;
            erased.sessions.push(ErasedSession { id, title, messages: found.messages, in_title });
        }
        if erased.sessions.is_empty() {
            return Ok(None);
        }
        if how.is_some() {
            let what = Event::TextErased {
                sessions: erased.sessions.iter().map(|session| session.id.to_string()).collect(),
                messages: erased.messages(),
                files: erased.blobs.len() as u64,
            };
            let tx = self.store.begin().await?;
            self.commit_telling(tx, [what]).await?;
        }
        Ok(Some(erased))
    }

    async fn erase_title(&self, id: &SessionId, masks: &Masks, writes: bool) -> Result<bool, StoreError> {
        let mut tx = self.store.begin().await?;
        let mut step = Step::begin(&mut tx, self.id(), Micros::default()).await?;
        let mut sessions = sessions::load_by_id(&mut step, &BTreeSet::from([id.as_str()])).await?;
        let Some(index) = sessions.find(id.as_str()) else { return Ok(false) };
        let row = sessions.row(index);
        let mut has = false;
        for text in [&mut row.title, &mut row.own_title, &mut row.first_prompt, &mut row.live_reason] {
            has |= text.as_mut().is_some_and(|text| masks.cover_text(text));
        }
        if !has || !writes {
            return Ok(has);
        }
        sessions::store(&mut step, &mut sessions).await?;
        feed::write(&mut step, &sessions, &Changes::default()).await?;
        step.end().await?;
        tx.commit().await?;
        Ok(true)
    }

    async fn erase_messages(
        &self,
        (session_rid, id): (i64, &SessionId),
        masks: &Masks,
        how: Option<(Erasing, Micros)>,
    ) -> Result<Found, StoreError> {
        let (mut all, mut after) = (Found::default(), 0);
        loop {
            let rows: Vec<MessageRow> = on!(&self.store, pool => {
                sqlx::query_as(sqlx::AssertSqlSafe(format!(
                    "SELECT rid, id, seq, CAST(revision AS BIGINT), CAST(copied AS BIGINT), CAST(display AS BIGINT), hash, \
                     body FROM message WHERE workspace_id = $1 AND session_rid = $2 AND seq > $3 ORDER BY seq LIMIT {PAGE}"
                )))
                .bind(self.id()).bind(session_rid).bind(after).fetch_all(pool).await
            })?;
            let Some(last) = rows.last().map(|row| row.2) else { return Ok(all) };
            let mut found = Vec::new();
            for row in rows {
                found.extend(covered(row, masks)?);
            }
            for message in &found {
                all.copied_to.extend(self.sessions_of_message(&message.id, session_rid).await?);
            }
            if let Some((how, now)) = how
                && !found.is_empty()
                && !self.store_covered((session_rid, id), &found, how, now).await?
            {
                // One of them was changed since it was read.
                continue;
            }
            all.messages += found.len() as u64;
            for message in found {
                all.cut.extend(message.cut.map(|cut| Masks::of_text(&cut)).unwrap_or_default());
            }
            after = last;
        }
    }

    async fn sessions_of_message(&self, id: &str, but: i64) -> Result<Vec<String>, StoreError> {
        Ok(on!(&self.store, pool => {
            sqlx::query_scalar(
                "SELECT s.id FROM message m JOIN session s ON s.rid = m.session_rid \
                 WHERE m.workspace_id = $1 AND m.id = $2 AND m.session_rid <> $3",
            )
            .bind(self.id()).bind(id).bind(but).fetch_all(pool).await
        })?)
    }

    /// Stores covered messages, or none of them if one isn't any more what was read.
    async fn store_covered(
        &self,
        (session_rid, id): (i64, &SessionId),
        covered: &[Covered],
        how: Erasing,
        now: Micros,
    ) -> Result<bool, StoreError> {
        let mut tx = self.store.begin().await?;
        let mut step = Step::begin(&mut tx, self.id(), now).await?;
        let mut sessions = sessions::load_by_id(&mut step, &BTreeSet::from([id.as_str()])).await?;
        let mut changes = Changes::default();
        for message in covered {
            let stored: u64 = on_step!(step, c => {
                sqlx::query("UPDATE message SET body = $1, hash = $2, revision = revision + 1 WHERE rid = $3 AND hash = $4")
                    .bind(&message.body).bind(&message.hash).bind(message.rid).bind(&message.before)
                    .execute(c).await.map(|done| done.rows_affected())
            })?;
            if stored == 0 {
                return Ok(false);
            }
            on_step!(step, c => {
                sqlx::query("UPDATE memory SET model = NULL, vector = NULL, vector_no = NULL WHERE rid = $1")
                    .bind(message.rid).execute(c).await.map(drop)
            })?;
            changes.change(session_rid, message.seq, message.revision + 1);
        }
        let own = covered.iter().filter(|message| !message.copied);
        let own: Vec<_> = own.map(|message| (message.rid, session_rid, message.seq, message.body.clone())).collect();
        words::renew(&mut step, &own, how.derive, &how.is_remembered).await?;
        sessions.finish(now, &changes, step.next_pos());
        sessions::store(&mut step, &mut sessions).await?;
        feed::write(&mut step, &sessions, &changes).await?;
        step.end().await?;
        tx.commit().await?;
        Ok(true)
    }
}

/// Returns the message without the text; None if it doesn't contain it.
fn covered(row: MessageRow, masks: &Masks) -> Result<Option<Covered>, StoreError> {
    let (rid, id, seq, revision, copied, display, before, body) = row;
    let mut json = unpack(&body)?;
    if masks.cover(&mut json).is_empty() {
        return Ok(None);
    }
    // Nothing is stored that can't be read again.
    let read = |json: &[u8]| {
        serde_json::from_slice::<Draft>(json).map_err(|error| StoreError::Corrupt(format!("message {seq}: {error}")))
    };
    let cut = cut_in_title(&read(&unpack(&body)?)?, &read(&json)?);
    let hash = content_hash(display as i16, &json);
    let body = with_packer(|packer| packer.pack(&json))?;
    Ok(Some(Covered { rid, id, seq, revision, copied: copied != 0, before, hash, body, cut }))
}

/// Returns the part of the text with which the title ends that a message gives its session: titles are cut.
fn cut_in_title(before: &Draft, after: &Draft) -> Option<String> {
    let (before, after) = (title(&before.content), title(&after.content));
    let same = |(a, b): &(char, char)| a == b;
    let bytes = |(char, _): (char, char)| char.len_utf8();
    let begins: usize = before.chars().zip(after.chars()).take_while(same).map(bytes).sum();
    let ends: usize = before.chars().rev().zip(after.chars().rev()).take_while(same).map(bytes).sum();
    let part = before.get(begins..before.len() - ends)?.trim();
    (part.len() >= SHORTEST).then(|| part.to_owned())
}
