//! Messages of people to an agent, driven or in its own terminal, that its transcript contains as well. The row stays
//! as it was written, and gets the transcript's lines as its records: it is one message, whatever the agent's id for it
//! and the text around it.

use super::rows::{OLD_COLUMNS, Old};
use super::{Planned, merge};
use crate::StoreError;
use crate::columns::columns;
use crate::pack::{Reference, unpack_draft, unpack_references};
use crate::step::Step;
use crate::store::on_step;
use crate::write::sessions::Sessions;
use model::run_prompt::spoken;
use model::sdk_format::SdkMessage;
use model::{MessageType, Role};
use sqlx::QueryBuilder;
use std::collections::{BTreeSet, HashMap};

columns! {
    struct PostedRow of old: Old {
        body: Vec<u8>,
    }
}

/// A row that was given to the agent.
struct Posted {
    old: Old,
    /// As it was posted, and as it was given.
    texts: [String; 2],
    has_files: bool,
    is_met: bool,
}

/// Where the rows of a session are, by id and by either of their texts. In their order.
#[derive(Default)]
struct Index {
    ids: HashMap<(i64, String), usize>,
    texts: HashMap<(i64, String), Vec<usize>>,
}

impl Index {
    fn new(posted: &[Posted]) -> Self {
        let mut index = Self::default();
        for (at, row) in posted.iter().enumerate() {
            let session = row.old.session_rid();
            index.ids.insert((session, row.old.id.clone()), at);
            let [posted, given] = &row.texts;
            for text in std::iter::once(posted).chain(Some(given).filter(|given| *given != posted)) {
                index.texts.entry((session, text.clone())).or_default().push(at);
            }
        }
        index
    }

    fn of_text(&self, session: i64, text: &str) -> &[usize] {
        self.texts.get(&(session, text.to_owned())).map_or(&[], Vec::as_slice)
    }
}

/// Gives messages that are in the transcript the ids of the rows that people wrote. Returns session and id of each;
/// `stored` has them.
pub(super) async fn meet(
    step: &mut Step<'_>,
    sessions: &mut Sessions,
    planned: &mut Vec<Planned>,
    stored: &mut HashMap<(i64, String), Old>,
) -> Result<BTreeSet<(i64, String)>, StoreError> {
    let mut met = BTreeSet::new();
    let said = |planned: &Planned| {
        matches!(planned.message.role, Role::User | Role::System) && planned.message.message_type == MessageType::Text
    };
    let wanted: BTreeSet<i64> = planned.iter().filter(|one| said(one)).map(|one| one.session_rid).collect();
    if wanted.is_empty() {
        return Ok(met);
    }
    let mut posted = posted(step, &wanted).await?;
    if posted.is_empty() {
        return Ok(met);
    }
    let index = Index::new(&posted);
    // Lines of one prompt that its reader didn't join, by the row that they are.
    let mut more: Vec<(i64, String, Vec<Reference>)> = Vec::new();
    let mut kept = Vec::with_capacity(planned.len());
    for mut one in std::mem::take(planned) {
        if !said(&one) {
            kept.push(one);
            continue;
        }
        let key = (one.session_rid, one.message.id.clone());
        let delivered = sessions.row(one.session).delivered_seq;
        let found = match index.ids.get(&key) {
            Some(found) => Some(*found),
            None if stored.contains_key(&key) => None,
            None => by_text(&one, &posted, &index, delivered)?,
        };
        let Some(row) = found.and_then(|found| posted.get_mut(found)) else {
            kept.push(one);
            continue;
        };
        let key = (one.session_rid, row.old.id.clone());
        if std::mem::replace(&mut row.is_met, true) {
            more.push((key.0, key.1, one.references));
            continue;
        }
        one.message.id.clone_from(&row.old.id);
        stored.insert(key.clone(), row.old.clone());
        met.insert(key);
        kept.push(one);
    }
    if !more.is_empty() {
        join(&mut kept, more);
    }
    *planned = without_files(kept, &posted, &met, stored)?;
    Ok(met)
}

/// Adds the lines of a prompt that its reader didn't join to the row that they are.
fn join(planned: &mut [Planned], more: Vec<(i64, String, Vec<Reference>)>) {
    // In reverse, so that the first row of an id wins.
    let places = planned.iter().enumerate().rev();
    let places: HashMap<(i64, String), usize> =
        places.map(|(at, one)| ((one.session_rid, one.message.id.clone()), at)).collect();
    for (session, id, references) in more {
        if let Some(one) = places.get(&(session, id)).and_then(|at| planned.get_mut(*at)) {
            merge(&mut one.references, &references);
        }
    }
}

/// Leaves out the files of a line whose words are a row with files: that one shows them.
fn without_files(
    planned: Vec<Planned>,
    posted: &[Posted],
    met: &BTreeSet<(i64, String)>,
    stored: &HashMap<(i64, String), Old>,
) -> Result<Vec<Planned>, StoreError> {
    let mut lines: Vec<(i64, Reference)> = Vec::new();
    for row in posted.iter().filter(|row| row.has_files) {
        let session = row.old.session_rid();
        lines.extend(unpack_references(&row.old.records)?.into_iter().map(|line| (session, line)));
        let key = (session, row.old.id.clone());
        if met.contains(&key) {
            let own = planned.iter().filter(|one| one.session_rid == key.0 && one.message.id == key.1);
            lines.extend(own.flat_map(|one| &one.references).map(|line| (session, *line)));
        }
    }
    let is_shown = |one: &Planned| {
        let is_file = one.message.role == Role::User && one.message.message_type == MessageType::File;
        let is_stored = || stored.contains_key(&(one.session_rid, one.message.id.clone()));
        let covers = |line: &Reference| {
            lines.iter().any(|(session, own)| *session == one.session_rid && (own.covers(*line) || line.covers(*own)))
        };
        is_file && !is_stored() && one.references.iter().any(covers)
    };
    Ok(if lines.is_empty() { planned } else { planned.into_iter().filter(|one| !is_shown(one)).collect() })
}

/// The rows that were posted to the agents of these sessions, in their order.
async fn posted(step: &mut Step<'_>, sessions: &BTreeSet<i64>) -> Result<Vec<Posted>, StoreError> {
    let rows: Vec<PostedRow> = on_step!(step, c => {
        let columns = OLD_COLUMNS.split(", ").map(|column| format!("m.{column}")).collect::<Vec<_>>().join(", ");
        let mut q = QueryBuilder::new(format!(
            "SELECT {columns}, m.body FROM session s CROSS JOIN message m WHERE m.session_rid = s.rid \
             AND m.create_hash IS NOT NULL AND m.role IN ('user', 'system') AND m.workspace_id = "
        ));
        // Not the session's workspace: SQLite would read all of its sessions.
        q.push_bind(step.workspace);
        q.push(" AND (s.delivered_seq > 0 OR EXISTS (SELECT 1 FROM driven d WHERE d.session_id = s.id AND d.workspace_id = ");
        q.push_bind(step.workspace).push(")) AND s.rid IN (");
        let mut list = q.separated(", ");
        for rid in sessions {
            list.push_bind(*rid);
        }
        list.push_unseparated(") ORDER BY m.session_rid, m.seq");
        q.build_query_as().persistent(sessions.len() == 1).fetch_all(c).await
    })?;
    let row = |PostedRow { old, body }: PostedRow| {
        let message = SdkMessage::new(old.seq, &unpack_draft(&body)?);
        let texts = [message.content.trim().to_owned(), spoken(&message).trim().to_owned()];
        let has_files = message.message_type == MessageType::File;
        Ok(Posted { old, texts, has_files, is_met: false })
    };
    rows.into_iter().map(row).collect()
}

/// The first row with these words that no other line has, or that has this line already. With the words of the system
/// before them, they are no words that a person typed: the last row with them.
fn by_text(planned: &Planned, posted: &[Posted], index: &Index, delivered: i64) -> Result<Option<usize>, StoreError> {
    let text = unpack_draft(&planned.message.body)?.content;
    let text = text.trim();
    let given = |text: &str| {
        let rows = index.of_text(planned.session_rid, text).iter();
        rows.filter_map(|at| Some((*at, posted.get(*at)?))).filter(|(_, row)| row.old.seq <= delivered)
    };
    let words = after_system(text);
    if words != text {
        return Ok(given(words).next_back().map(|(at, _)| at));
    }
    for (at, row) in given(text).filter(|(_, row)| !row.is_met) {
        let known = unpack_references(&row.old.records)?;
        let overlaps = |one: &Reference| known.iter().any(|known| known.covers(*one) || one.covers(*known));
        if known.is_empty() || planned.references.iter().any(overlaps) {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

/// A prompt without what the system said before it, for agents that join the blocks of a prompt.
fn after_system(text: &str) -> &str {
    let mut rest = text;
    while let Some((_, after)) = rest.strip_prefix("<system>\n").and_then(|inside| inside.split_once("\n</system>")) {
        rest = after.trim_start();
    }
    if rest.is_empty() { text } else { rest }
}
