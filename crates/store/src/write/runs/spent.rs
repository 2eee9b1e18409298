//! The API messages of runs: sessions that repeat each other have some in common, and each counts in one of them.

use super::NewRun;
use super::summed::Summed;
use crate::StoreError;
use crate::columns::columns;
use crate::columns::text;
use crate::step::Step;
use crate::step::chunks::padded;
use crate::step::table::{Kind, Row, Table, Value, Verb};
use crate::store::on_step;
use crate::write::rollup::RunKey;
use crate::write::sessions::{self, Sessions};
use model::{MessageId, Run, Spent};
use sqlx::QueryBuilder;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

/// API messages per look-up.
const MANY: usize = 512;

static SPENT: Table = Table {
    name: "spent",
    columns: Cow::Borrowed(&[
        ("session_rid", Kind::Int),
        ("id", Kind::Text),
        ("run_id", Kind::Text),
        ("copied", Kind::Int),
        ("is_copy", Kind::Int),
        ("input", Kind::Int),
        ("output", Kind::Int),
        ("cache_read", Kind::Int),
        ("cache_write", Kind::Int),
        ("cost_usd", Kind::Real),
        ("cache_write_1h", Kind::Int),
        ("model", Kind::Text),
        ("began_at", Kind::Int),
        ("ended_at", Kind::Int),
        ("first_token_ms", Kind::Int),
        ("stop_reason", Kind::Text),
        ("context", Kind::Int),
        ("message_id", Kind::Text),
    ]),
    has_workspace: true,
    verb: Verb::Insert(Cow::Borrowed(
        " ON CONFLICT (workspace_id, session_rid, run_id, id) DO UPDATE SET input = excluded.input, \
         output = excluded.output, cache_read = excluded.cache_read, cache_write = excluded.cache_write, \
         cost_usd = excluded.cost_usd, cache_write_1h = excluded.cache_write_1h, model = excluded.model, \
         began_at = excluded.began_at, ended_at = excluded.ended_at, first_token_ms = excluded.first_token_ms, \
         stop_reason = excluded.stop_reason, context = excluded.context, message_id = excluded.message_id",
    )),
};

columns! {
    /// An API message as a session holds it.
    #[derive(Clone)]
    struct KnownRequest {
        id: String,
        session_rid: i64,
        run_id: String,
        copied: i64,
        is_copy: i64,
    }
}

columns! {
    /// The part of a run that counts elsewhere, and the number of its API messages that count here.
    struct RunSums {
        own: i64,
        input: i64,
        output: i64,
        cache_read: i64,
        cache_write: i64,
        cost_usd: f64,
    }
}

/// An API message to be written.
struct Request<'a> {
    key: &'a RunKey,
    words: Words<'a>,
    run: &'a Run,
    spent: &'a Spent,
}

/// Its texts as both engines take them.
struct Words<'a> {
    id: Cow<'a, str>,
    model: Option<Cow<'a, str>>,
    stop_reason: Option<Cow<'a, str>>,
}

impl<'a> Words<'a> {
    fn of(spent: &'a Spent) -> Self {
        Self {
            id: text(&spent.id),
            model: spent.model.as_deref().map(text),
            stop_reason: spent.stop_reason.as_deref().map(text),
        }
    }
}

impl Request<'_> {
    fn row(&self, copied: i64) -> Row<'_> {
        let Self { key: (rid, run), words, run: of, spent } = self;
        vec![
            (*rid).into(),
            words.id.as_ref().into(),
            run.as_str().into(),
            copied.into(),
            i64::from(spent.is_copy).into(),
            spent.usage.input.into(),
            spent.usage.output.into(),
            spent.usage.cache_read.into(),
            spent.usage.cache_write.into(),
            Value::Real(spent.cost_usd),
            spent.cache_write_1h.into(),
            Value::Text(words.model.as_deref()),
            Value::Int(spent.began_at.map(|at| at.0)),
            spent.ended_at.unwrap_or(of.started_at).0.into(),
            Value::Int(spent.first_token_ms),
            Value::Text(words.stop_reason.as_deref()),
            Value::Int(spent.context),
            Value::Text(spent.message_id.as_ref().map(MessageId::as_str)),
        ]
    }
}

/// Stores what the runs spent. Returns the sessions in which something counts elsewhere, or may. What other runs count
/// no more leaves their sums.
pub(super) async fn write(
    step: &mut Step<'_>,
    sessions: &mut Sessions,
    runs: &[NewRun],
    summed: &mut Summed,
) -> Result<BTreeSet<usize>, StoreError> {
    let mut all: Vec<Request<'_>> = Vec::new();
    let mut shared: BTreeSet<RunKey> = BTreeSet::new();
    for NewRun { key, upsert, copied, .. } in runs {
        let request = |spent| Request { key, words: Words::of(spent), run: &upsert.run, spent };
        all.extend(upsert.spent.iter().map(request));
        if *copied && !upsert.spent.is_empty() {
            shared.insert(key.clone());
        }
    }
    for chunk in all.chunks(MANY) {
        let mut known = known(step, chunk).await?;
        let mut rows: Vec<Row<'_>> = Vec::with_capacity(chunk.len());
        for request in chunk {
            let holders = known.entry(request.words.id.to_string()).or_default();
            let stored = holders.iter().find(|holder| holder.session_rid == request.key.0).map(|holder| holder.copied);
            let copied = if let Some(copied) = stored {
                copied
            } else {
                let (copied, former) = add_holder(holders, request);
                if let Some(owner) = &former {
                    let run = (owner.session_rid, owner.run_id.clone());
                    summed.hand_over(step, &mut sessions.rollup, (&run, &owner.id)).await?;
                    hand_over(step, owner).await?;
                    shared.insert(run);
                }
                copied
            };
            if copied != 0 {
                shared.insert(request.key.clone());
            }
            rows.push(request.row(copied));
        }
        step.write(&SPENT, &rows).await?;
    }
    let mut changed = BTreeSet::new();
    for run in shared {
        share(step, &run).await?;
        changed.insert(sessions::loaded(step, sessions, run.0).await?);
    }
    Ok(changed)
}

/// Returns the owners of these API messages, by their ids.
async fn known(step: &mut Step<'_>, chunk: &[Request<'_>]) -> Result<HashMap<String, Vec<KnownRequest>>, StoreError> {
    let ids: Vec<&str> = chunk.iter().map(|request| request.words.id.as_ref()).collect();
    let mut known: HashMap<String, Vec<KnownRequest>> = HashMap::new();
    for ids in padded(&ids, MANY) {
        let rows: Vec<KnownRequest> = on_step!(step, c => {
            let mut q = QueryBuilder::new(
                "SELECT id, session_rid, run_id, copied, is_copy FROM spent WHERE workspace_id = ",
            );
            q.push_bind(step.workspace).push(" AND id IN (");
            let mut list = q.separated(", ");
            for id in ids {
                list.push_bind(id);
            }
            list.push_unseparated(") ORDER BY session_rid");
            q.build_query_as().fetch_all(c).await
        })?;
        for row in rows {
            known.entry(row.id.clone()).or_default().push(row);
        }
    }
    Ok(known)
}

/// Adds a session to those that hold an API message. Returns 1 if the message counts in another one, else 0; and who
/// counts it no more.
fn add_holder(
    holders: &mut Vec<KnownRequest>,
    Request { key: (rid, run), words, spent, .. }: &Request<'_>,
) -> (i64, Option<KnownRequest>) {
    let (copied, former) = match holders.iter_mut().find(|holder| holder.copied == 0) {
        // A copy only counts until its original arrives.
        Some(owner) if owner.is_copy != 0 && !spent.is_copy => {
            owner.copied = 1;
            (0, Some(owner.clone()))
        }
        Some(_) => (1, None),
        None => (0, None),
    };
    let (id, is_copy) = (words.id.to_string(), i64::from(spent.is_copy));
    holders.push(KnownRequest { id, session_rid: *rid, run_id: run.clone(), copied, is_copy });
    (copied, former)
}

async fn hand_over(step: &mut Step<'_>, owner: &KnownRequest) -> Result<(), StoreError> {
    on_step!(step, c => {
        sqlx::query(
            "UPDATE spent SET copied = 1 WHERE workspace_id = $1 AND session_rid = $2 AND run_id = $3 AND id = $4",
        )
        .bind(step.workspace).bind(owner.session_rid).bind(&owner.run_id).bind(&owner.id).execute(c).await.map(drop)
    })?;
    Ok(())
}

/// Writes into a run what of it counts elsewhere.
async fn share(step: &mut Step<'_>, (session_rid, run_id): &RunKey) -> Result<(), StoreError> {
    let part: RunSums = on_step!(step, c => {
        sqlx::query_as(
            "SELECT CAST(COALESCE(SUM(1 - copied), 0) AS BIGINT) AS own, \
             CAST(COALESCE(SUM(copied * input), 0) AS BIGINT) AS input, \
             CAST(COALESCE(SUM(copied * output), 0) AS BIGINT) AS output, \
             CAST(COALESCE(SUM(copied * cache_read), 0) AS BIGINT) AS cache_read, \
             CAST(COALESCE(SUM(copied * cache_write), 0) AS BIGINT) AS cache_write, \
             COALESCE(SUM(CASE WHEN copied = 1 THEN cost_usd END), 0.0) AS cost_usd \
             FROM spent WHERE workspace_id = $1 AND session_rid = $2 AND run_id = $3",
        )
        .bind(step.workspace).bind(session_rid).bind(run_id).fetch_one(c).await
    })?;
    on_step!(step, c => {
        sqlx::query(
            "UPDATE run SET copied = $4, copied_input = $5, copied_output = $6, copied_cache_read = $7, \
             copied_cache_write = $8, copied_cost_usd = $9 WHERE workspace_id = $1 AND session_rid = $2 AND id = $3",
        )
        .bind(step.workspace)
        .bind(session_rid)
        .bind(run_id)
        .bind(i64::from(part.own == 0))
        .bind(part.input)
        .bind(part.output)
        .bind(part.cache_read)
        .bind(part.cache_write)
        .bind(part.cost_usd)
        .execute(c)
        .await
        .map(drop)
    })?;
    Ok(())
}
