//! Words of stored messages and the files that they changed, written anew after the way in which they are found has
//! changed.

use super::messages::MESSAGE_SEARCH;
use super::messages::files::{self, FILE_CHANGE};
use super::messages::memory::MEMORY;
use crate::dialect::indexed;
use crate::meta::{META, PUT_META, WORDS, WORDS_VERSION};
use crate::pack::unpack_draft;
use crate::prepare::storable;
use crate::step::Step;
use crate::step::table::Row;
use crate::store::on_step;
use crate::{Derive, FileChanged, StoreError, Workspace, tokens};
use model::{Body, Draft, Micros};
use sqlx::QueryBuilder;
use std::collections::{BTreeMap, HashSet};

/// Messages of one transaction: everybody who writes waits for it.
const PART: usize = 50;

impl Workspace {
    /// Writes the words of the next stored messages anew, and the files that they changed. True while some are left.
    pub async fn renew_words(
        &self,
        now: Micros,
        derive: Derive,
        is_remembered: impl Fn(&Draft) -> bool + Send + Sync,
    ) -> Result<bool, StoreError> {
        let mut tx = self.store.begin().await?;
        let mut step = Step::begin(&mut tx, self.id(), now).await?;
        let stored: Option<String> = on_step!(step, c => {
            sqlx::query_scalar(META).bind(step.workspace).bind(WORDS).fetch_optional(c).await
        })?;
        let stored = stored.as_deref().unwrap_or_default();
        let (version, after) = stored.split_once(':').unwrap_or((stored, ""));
        if version == WORDS_VERSION && after.is_empty() {
            return Ok(false);
        }
        let after = if version == WORDS_VERSION { after.parse().unwrap_or(0) } else { 0 };
        let messages = read(&mut step, after).await?;
        renew(&mut step, &messages, derive, &is_remembered).await?;
        let last = messages.last().filter(|_| messages.len() == PART).map(|(rid, ..)| *rid);
        let reached = last.map_or_else(|| WORDS_VERSION.to_owned(), |rid| format!("{WORDS_VERSION}:{rid}"));
        on_step!(step, c => {
            sqlx::query(PUT_META).bind(step.workspace).bind(WORDS).bind(&reached).execute(c).await.map(drop)
        })?;
        step.end().await?;
        tx.commit().await?;
        Ok(last.is_some())
    }
}

/// A message: rid, rid of its session, `seq`, packed body.
type Stored = (i64, i64, i64, Vec<u8>);

/// Writes the words of these messages anew, and the files that they changed.
pub(crate) async fn renew(
    step: &mut Step<'_>,
    messages: &[Stored],
    derive: Derive,
    is_remembered: &(impl Fn(&Draft) -> bool + Send + Sync),
) -> Result<(), StoreError> {
    let mut renewed: Vec<(i64, String)> = Vec::with_capacity(messages.len());
    let known = remembered(step, messages).await?;
    let mut new: Vec<Row<'_>> = Vec::new();
    let mut edits: Vec<((i64, i64, i64), Vec<FileChanged>)> = Vec::new();
    for (rid, session_rid, seq, body) in messages {
        let draft = unpack_draft(body)?;
        let body = Body::of(&draft);
        edits.push(((*session_rid, *seq, draft.created_at.0), storable((derive.files)(&draft, &body))));
        let remembered = is_remembered(&draft);
        let words =
            (derive.search_text)(&draft, &body).map(|text| tokens::words(&text)).filter(|words| !words.is_empty());
        renewed.extend(words.map(|words| (*rid, indexed(words, *session_rid, remembered))));
        if remembered && !known.contains(rid) {
            new.push(vec![(*rid).into(), (*session_rid).into()]);
        }
    }
    delete(step, messages).await?;
    let rows: Vec<Row<'_>> = renewed.iter().map(|(rid, words)| vec![(*rid).into(), words.as_str().into()]).collect();
    step.write(&MESSAGE_SEARCH, &rows).await?;
    step.write(&MEMORY, &new).await?;
    let mut seqs: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for ((session_rid, seq, _), _) in &edits {
        seqs.entry(*session_rid).or_default().push(*seq);
    }
    for (session_rid, seqs) in seqs {
        files::delete(step, session_rid, &seqs).await?;
    }
    let changed: Vec<Row<'_>> = edits.iter().flat_map(|(of, files)| files::rows(*of, files)).collect();
    step.write(&FILE_CHANGE, &changed).await?;
    Ok(())
}

/// Copied ones are found where they came from.
async fn read(step: &mut Step<'_>, after: i64) -> Result<Vec<Stored>, StoreError> {
    Ok(on_step!(step, c => {
        sqlx::query_as(
            "SELECT rid, session_rid, seq, body FROM message WHERE workspace_id = $1 AND rid > $2 AND copied = 0 \
             ORDER BY rid LIMIT $3",
        )
        .bind(step.workspace).bind(after).bind(PART as i64).fetch_all(c).await
    })?)
}

/// Those that memory has already, or has forgotten.
async fn remembered(step: &mut Step<'_>, messages: &[Stored]) -> Result<HashSet<i64>, StoreError> {
    let (Some((first, ..)), Some((last, ..))) = (messages.first(), messages.last()) else { return Ok(HashSet::new()) };
    let known: Vec<i64> = on_step!(step, c => {
        sqlx::query_scalar("SELECT rid FROM memory WHERE workspace_id = $1 AND rid >= $2 AND rid <= $3")
            .bind(step.workspace).bind(*first).bind(*last).fetch_all(c).await
    })?;
    Ok(known.into_iter().collect())
}

async fn delete(step: &mut Step<'_>, messages: &[Stored]) -> Result<(), StoreError> {
    if messages.is_empty() {
        return Ok(());
    }
    on_step!(step, c => {
        let mut q = QueryBuilder::new("DELETE FROM message_search WHERE rowid IN (");
        let mut rids = q.separated(", ");
        for (rid, ..) in messages {
            rids.push_bind(*rid);
        }
        Ok(q.push(")").build().persistent(false).execute(c).await.map(drop)?)
    })
}
