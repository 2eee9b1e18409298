//! Messages that several sessions hold, since one of them repeats the other: each counts in one session.
//!
//! A copy is known by the id of its line, or by its twin. An id of a few digits is unique in its own session only: it
//! proves nothing where time or text differ. A prompt that is repeated with another time has nothing of that: a person
//! may say the same twice. It is a copy if a copy of an answer stands behind it, and the same words stand before the
//! original. Which session came first to the store doesn't matter: what calls itself a copy counts only until its
//! original comes.

use super::rows::{OLD_COLUMNS, Old};
use super::{Planned, count, files, find_question, tools};
use crate::StoreError;
use crate::columns::columns;
use crate::dialect::limited;
use crate::pack::unpack_draft;
use crate::step::Step;
use crate::step::chunks::padded;
use crate::store::on_step;
use crate::write::changes::Changes;
use crate::write::sessions::{self, Sessions};
use model::{Role, Twin};
use sqlx::QueryBuilder;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Ids per look-up.
const IDS: usize = 512;

/// Messages before an answer among which its prompt is looked for: what the program adds stands between.
const BETWEEN: i64 = 32;

/// Bytes of an id that no two sessions give to different messages.
const LONG_ID: usize = 16;

/// By what a message is known in another session.
fn identity(id: &str, twin: Option<&str>) -> String {
    let own = id.split('~').next().unwrap_or(id);
    if own.len() < LONG_ID { format!("{id}\0{}", twin.unwrap_or_default()) } else { id.to_owned() }
}

fn identity_of(planned: &Planned) -> String {
    identity(&planned.message.id, planned.message.marks.twin.as_ref().map(Twin::hash))
}

/// A message as another session holds it, which counts it.
pub(super) struct Owner {
    pub session_id: String,
    pub agent: String,
    pub old: Old,
}

/// The owners of a batch's messages.
#[derive(Default)]
pub(super) struct Owners {
    all: Vec<Owner>,
    by_identity: HashMap<String, usize>,
    by_twin: HashMap<String, usize>,
    /// Prompts of the batch that are identified by the answers after them, by session and id.
    by_answer: HashMap<(i64, String), usize>,
    /// Sessions of the batch with those that they are known to repeat.
    repeated: HashSet<(i64, i64)>,
}

/// Messages that stop counting where they are, by rid; with the id of the session that counts them now.
#[derive(Default)]
pub(super) struct HandedOver<'a>(BTreeMap<i64, (&'a Old, String)>);

impl Owners {
    /// Returns the owner of a message that is new in its session: the session that counts it.
    pub(super) fn find(&self, planned: &Planned) -> Option<&Owner> {
        self.all.get(self.at(planned)?)
    }

    fn at(&self, planned: &Planned) -> Option<usize> {
        let same = || self.by_identity.get(&identity_of(planned));
        let owner = match &planned.message.marks.twin {
            Some(Twin::ApiMessage(hash)) => same().or_else(|| self.by_twin.get(hash)),
            Some(Twin::Time(hash)) => same().or_else(|| {
                let twin = self.by_twin.get(hash)?;
                let owner = self.all.get(*twin)?.old.session_rid();
                self.repeated.contains(&(planned.session_rid, owner)).then_some(twin)
            }),
            None => same(),
        };
        let by_answer = || self.by_answer.get(&(planned.session_rid, planned.message.id.clone()));
        owner.or_else(by_answer).copied()
    }

    /// Notes which sessions repeat which, by messages that prove it.
    fn learn(&mut self, planned: &[Planned]) {
        for message in planned {
            let proof = match &message.message.marks.twin {
                Some(Twin::ApiMessage(hash)) => self.by_twin.get(hash),
                _ => None,
            };
            if let Some(owner) = self.by_identity.get(&identity_of(message)).or(proof).and_then(|at| self.all.get(*at))
            {
                self.repeated.insert((message.session_rid, owner.old.session_rid()));
            }
        }
    }
}

columns! {
    struct Prompt of old: Old {
        body: Vec<u8>,
    }
}

impl Owners {
    /// Finds the prompts that are repeated with another time.
    async fn find_prompts(
        &mut self,
        step: &mut Step<'_>,
        planned: &[Planned],
        stored: &HashMap<(i64, String), Old>,
    ) -> Result<(), StoreError> {
        // By session, the owner of what was said behind, if it is a copy.
        let mut behind: HashMap<i64, Option<usize>> = HashMap::new();
        for message in planned.iter().rev().filter(|message| !matches!(message.message.role, Role::System | Role::Host))
        {
            let found = self.at(message);
            let next = behind.insert(message.session_rid, found).flatten();
            let key = (message.session_rid, message.message.id.clone());
            let may_be = message.message.role == Role::User && found.is_none() && !stored.contains_key(&key);
            let Some(next) = next.and_then(|next| self.all.get(next)).filter(|_| may_be) else { continue };
            let Some(old) = prompt_before(step, &next.old, message).await? else { continue };
            let owner = Owner { session_id: next.session_id.clone(), agent: next.agent.clone(), old };
            let at = self.all.len();
            self.all.push(owner);
            self.by_answer.insert(key, at);
            behind.insert(message.session_rid, Some(at));
        }
        Ok(())
    }
}

/// The last thing that a person said before an answer, if it is the same as this message.
async fn prompt_before(step: &mut Step<'_>, answer: &Old, planned: &Planned) -> Result<Option<Old>, StoreError> {
    let sql = format!(
        "SELECT {OLD_COLUMNS}, body FROM message WHERE workspace_id = $1 AND session_rid = $2 AND seq < $3 AND seq >= $4 \
         AND role = 'user' ORDER BY seq DESC{}",
        limited(1)
    );
    let found: Option<Prompt> = on_step!(step, c => {
        sqlx::query_as(sqlx::AssertSqlSafe(sql))
            .bind(step.workspace).bind(answer.session_rid()).bind(answer.seq).bind(answer.seq - BETWEEN)
            .fetch_optional(c).await
    })?;
    let Some(Prompt { old, body }) = found.filter(|found| found.old.copied == 0) else { return Ok(None) };
    let (theirs, ours) = (unpack_draft(&body)?, unpack_draft(&planned.message.body)?);
    Ok((theirs.sender == ours.sender && theirs.content == ours.content).then_some(old))
}

impl<'a> HandedOver<'a> {
    /// Notes that `planned` is the original of what `owner` counts so far. False if the owner keeps it.
    pub(super) fn take(&mut self, owner: &'a Owner, is_copy: bool, session_id: &str) -> bool {
        let is_original = !is_copy && owner.old.is_copy != 0;
        if is_original {
            self.0.insert(owner.old.rid, (&owner.old, session_id.to_owned()));
        }
        is_original
    }

    /// Makes them copies.
    pub(super) async fn write(
        self,
        step: &mut Step<'_>,
        sessions: &mut Sessions,
        changes: &mut Changes,
    ) -> Result<(), StoreError> {
        let mut unasked = BTreeSet::new();
        for (rid, (old, session_id)) in self.0 {
            let index = sessions::loaded(step, sessions, old.session_rid()).await?;
            on_step!(step, c => {
                sqlx::query("UPDATE message SET copied = 1, asks_input = 0 WHERE rid = $1").bind(rid).execute(c).await.map(drop)
            })?;
            on_step!(step, c => {
                sqlx::query("DELETE FROM message_search WHERE rowid = $1").bind(rid).execute(c).await.map(drop)
            })?;
            tools::delete(step, sessions, old.session_rid(), &[rid]).await?;
            files::delete(step, old.session_rid(), &[old.seq]).await?;
            let row = sessions.row(index);
            row.forked_from = Some(session_id);
            row.approvals_open -= old.asks;
            row.count_lines(old.lines(), (0, 0));
            if row.ask_seq == old.seq {
                row.ask_seq = 0;
                unasked.insert(index);
            }
            count(row, changes, old.count_key(), (old.created_at, -1));
            changes.look_again(row.rid, old.seq, old.revision);
        }
        for index in unasked {
            find_question(step, sessions, index).await?;
        }
        Ok(())
    }
}

/// Returns the stored rows with the messages' ids: in their own sessions by session and id, and their owners elsewhere.
pub(super) async fn stored(
    step: &mut Step<'_>,
    sessions: &Sessions,
    planned: &[Planned],
) -> Result<(HashMap<(i64, String), Old>, Owners), StoreError> {
    let own: HashSet<(i64, &str)> =
        planned.iter().map(|message| (message.session_rid, message.message.id.as_str())).collect();
    let mut stored = HashMap::new();
    let mut others = BTreeMap::new();
    let ids: Vec<&str> = planned.iter().map(|message| message.message.id.as_str()).collect();
    for row in chosen_by(step, "id", &ids).await? {
        if own.contains(&(row.session_rid(), row.id.as_str())) {
            stored.insert((row.session_rid(), row.id.clone()), row);
        } else if row.copied == 0 {
            others.insert(row.rid, row);
        }
    }
    let is_new = |message: &&Planned| !stored.contains_key(&(message.session_rid, message.message.id.clone()));
    let twins: BTreeSet<&str> = planned
        .iter()
        .filter(is_new)
        .filter_map(|message| message.message.marks.twin.as_ref())
        .map(Twin::hash)
        .collect();
    let twins: Vec<&str> = twins.into_iter().collect();
    for row in chosen_by(step, "twin", &twins).await? {
        if row.copied == 0 && !planned.iter().any(|message| message.session_rid == row.session_rid()) {
            others.insert(row.rid, row);
        }
    }
    let mut owners = owners(step, sessions, others.into_values().collect()).await?;
    owners.learn(planned);
    owners.find_prompts(step, planned, &stored).await?;
    Ok((stored, owners))
}

async fn chosen_by(step: &mut Step<'_>, column: &str, values: &[&str]) -> Result<Vec<Old>, StoreError> {
    let mut all = Vec::new();
    for chunk in padded(values, IDS) {
        let rows: Vec<Old> = on_step!(step, c => {
            let mut q = QueryBuilder::new(format!("SELECT {OLD_COLUMNS} FROM message WHERE workspace_id = "));
            q.push_bind(step.workspace).push(format!(" AND {column} IN ("));
            let mut list = q.separated(", ");
            for value in chunk {
                list.push_bind(value);
            }
            list.push_unseparated(")");
            q.build_query_as().fetch_all(c).await
        })?;
        all.extend(rows);
    }
    Ok(all)
}

/// Returns those of the messages whose sessions may own them, in the order of their arrival. Sessions of sub-agents
/// never own messages, because their parents' files repeat them.
async fn owners(step: &mut Step<'_>, sessions: &Sessions, others: Vec<Old>) -> Result<Owners, StoreError> {
    let mut known: HashMap<i64, (String, String, Option<String>)> = sessions
        .iter()
        .map(|l| (l.row.rid, (l.row.id.clone(), l.row.agent.clone(), l.row.parent_key.clone())))
        .collect();
    let missing: BTreeSet<i64> =
        others.iter().map(Old::session_rid).filter(|rid| sessions.by_rid(*rid).is_none()).collect();
    for chunk in missing.into_iter().collect::<Vec<_>>().chunks(IDS) {
        let rows: Vec<(i64, String, String, Option<String>)> = on_step!(step, c => {
            // By the key alone: with the workspace, SQLite would read all of its sessions.
            let mut q = QueryBuilder::new("SELECT rid, id, agent, parent_key FROM session WHERE rid IN (");
            let mut list = q.separated(", ");
            for rid in chunk {
                list.push_bind(*rid);
            }
            list.push_unseparated(")");
            q.build_query_as().persistent(false).fetch_all(c).await
        })?;
        known.extend(rows.into_iter().map(|(rid, id, agent, parent)| (rid, (id, agent, parent))));
    }
    let mut owners = Owners::default();
    for old in others {
        let Some((session_id, agent, None)) = known.get(&old.session_rid()) else { continue };
        let at = owners.all.len();
        owners.by_identity.entry(identity(&old.id, old.twin.as_deref())).or_insert(at);
        if let Some(twin) = &old.twin {
            owners.by_twin.entry(twin.clone()).or_insert(at);
        }
        owners.all.push(Owner { session_id: session_id.clone(), agent: agent.clone(), old });
    }
    Ok(owners)
}
