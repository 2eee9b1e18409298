//! The messages of a batch: which are new, changed, equal or copied, and what follows from that.

mod asked;
mod copies;
pub(crate) mod files;
pub(in crate::write) mod memory;
mod posted;
mod results;
pub(super) mod retract;
pub(super) mod rewind;
mod rows;
pub(super) mod tools;

use super::changes::{Changes, CountKey};
use super::sessions::Sessions;
use crate::columns::text;
use crate::pack::{Reference, pack_references, unpack_references};
use crate::prepare::PreparedMessage;
use crate::prepare::work::Work;
use crate::rollup::SLOT;
use crate::session_row::SessionRow;
use crate::step::Step;
use crate::step::table::{self, Row, Table, Verb};
use crate::{StoreError, dialect::indexed};
use copies::{HandedOver, Owners};
use rows::Old;
pub(super) use rows::chosen;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

/// The index of words.
pub(in crate::write) static MESSAGE_SEARCH: Table = Table {
    name: "message_search",
    columns: Cow::Borrowed(&[("rowid", table::Kind::Int), ("words", table::Kind::Words)]),
    has_workspace: false,
    verb: Verb::Insert(Cow::Borrowed("")),
};

/// A message with its place.
pub(super) struct Planned {
    pub message: PreparedMessage,
    pub session: usize,
    pub session_rid: i64,
    pub rid: i64,
    pub seq: i64,
    pub revision: i64,
    pub copied: bool,
    /// True if a person answered the question by its id.
    pub answered: bool,
    /// It is stored as one that edits files.
    pub was_edit: bool,
    pub references: Vec<Reference>,
    pub kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Added,
    Changed,
    /// Only its references changed.
    Referenced,
    Equal,
}

/// Whether a message with the id of a message in another session can be its copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Copies {
    /// A forked file repeats its parent.
    Possible,
    /// Everybody chooses the ids of what is posted.
    Never,
    /// And none of them is stored in its session.
    New,
}

/// Stored data about the messages of a batch.
#[derive(Default)]
struct Known {
    /// By session and id.
    stored: HashMap<(i64, String), Old>,
    owners: Owners,
    /// Messages that were asked or posted here before a transcript had them.
    asked: BTreeSet<(i64, String)>,
    /// Messages of people to an agent that its transcript contains as well.
    met: BTreeSet<(i64, String)>,
}

impl Known {
    async fn find(
        step: &mut Step<'_>,
        sessions: &mut Sessions,
        planned: &mut Vec<Planned>,
        copies: Copies,
    ) -> Result<Self, StoreError> {
        match copies {
            Copies::New => Ok(Self::default()),
            Copies::Never => Ok(Self { stored: rows::own(step, planned).await?, ..Self::default() }),
            Copies::Possible => {
                let (mut stored, owners) = copies::stored(step, sessions, planned).await?;
                let mut asked = asked::here(step, sessions, planned, &stored).await?;
                asked.extend(asked::by_schedules(step, planned, &stored).await?);
                let met = posted::meet(step, sessions, planned, &mut stored).await?;
                Ok(Self { stored, owners, asked, met })
            }
        }
    }

    /// Returns true if a stored row isn't changed by the transcript.
    fn stays(&self, key: &(i64, String), old: &Old, planned: &Planned) -> bool {
        self.met.contains(key) || (self.asked.contains(key) && asked::stays(old, planned))
    }
}

/// Sessions, by their index, whose state the batch alone doesn't tell: the store is asked once its rows are written.
#[derive(Default)]
struct Unsettled {
    /// Their last question is gone.
    questions: BTreeSet<usize>,
    /// The agent said its final words behind calls that run.
    calls: BTreeSet<usize>,
}

/// Writes the messages of a batch, with their words, tool calls and memory, and sums them up in the rows of their
/// sessions.
pub(crate) async fn write(
    step: &mut Step<'_>,
    sessions: &mut Sessions,
    messages: Vec<PreparedMessage>,
    copies: Copies,
    changes: &mut Changes,
) -> Result<(), StoreError> {
    if messages.is_empty() {
        return Ok(());
    }
    let sources = rows::sources(step, &messages).await?;
    let mut planned = coalesce(sessions, messages, &sources)?;
    let mut known = Known::find(step, sessions, &mut planned, copies).await?;
    let (mut handed_over, mut unsettled) = (HandedOver::default(), Unsettled::default());
    for message in &mut planned {
        let key = (message.session_rid, message.message.id.clone());
        let old = known.stored.remove(&key);
        if let Some(old) = old.as_ref().filter(|old| known.stays(&key, old, message)) {
            asked::keep(message, old)?;
            continue;
        }
        let row = sessions.row(message.session);
        let (ask_seq, words_seq) = (row.ask_seq, row.words_seq);
        place(step, sessions, message, old, (&known.owners, &mut handed_over), changes)?;
        let row = sessions.row(message.session);
        if row.ask_seq < ask_seq {
            unsettled.questions.insert(message.session);
        }
        if row.words_seq > words_seq && row.calls_open > 0 {
            unsettled.calls.insert(message.session);
        }
    }
    let search: Vec<(i64, String)> = planned.iter_mut().filter_map(search_row).collect();
    rows::delete_search(step, &planned).await?;
    rows::insert(step, &planned).await?;
    rows::update(step, &planned).await?;
    handed_over.write(step, sessions, changes).await?;
    answer(step, sessions, &planned, &mut unsettled.questions).await?;
    settle(step, sessions, unsettled).await?;
    tools::store(step, sessions, &planned).await?;
    files::store(step, &planned).await?;
    memory::store(step, &planned).await?;
    results::store(step, sessions, &planned, changes).await?;
    let search: Vec<Row<'_>> = search.iter().map(|(rid, words)| vec![(*rid).into(), words.as_str().into()]).collect();
    step.write(&MESSAGE_SEARCH, &search).await?;
    rows::link_sources(step, &planned).await
}

/// Closes the questions that messages name as what they answer. Such a message answers no other one.
async fn answer(
    step: &mut Step<'_>,
    sessions: &mut Sessions,
    planned: &[Planned],
    questions: &mut BTreeSet<usize>,
) -> Result<(), StoreError> {
    for planned in planned.iter().filter(|planned| planned.kind == Kind::Added && !planned.copied) {
        let Some(question) = &planned.message.answers_to else { continue };
        let answered = rows::answer(step, planned.session_rid, &text(question)).await?;
        let row = sessions.row(planned.session);
        if answered == Some(row.ask_seq) {
            row.ask_seq = 0;
            questions.insert(planned.session);
        }
    }
    Ok(())
}

/// Asks the store what the rows of sessions are to say.
async fn settle(step: &mut Step<'_>, sessions: &mut Sessions, unsettled: Unsettled) -> Result<(), StoreError> {
    for index in unsettled.questions {
        find_question(step, sessions, index).await?;
    }
    for index in unsettled.calls {
        let row = sessions.row(index);
        let open = results::count(step, row.rid, row.words_seq).await?;
        sessions.row(index).calls_open = open;
    }
    Ok(())
}

/// The session's last question is gone: it waits for an answer to the one before, if that is open.
async fn find_question(step: &mut Step<'_>, sessions: &mut Sessions, index: usize) -> Result<(), StoreError> {
    let last = rows::last_question(step, sessions.row(index).rid).await?;
    let row = sessions.row(index);
    row.ask_seq = row.ask_seq.max(last);
    Ok(())
}

pub(crate) async fn store_counts(
    step: &mut Step<'_>,
    sessions: &mut Sessions,
    changes: &Changes,
) -> Result<(), StoreError> {
    sessions.rollup.said(&changes.activity);
    rows::store_counts(step, &changes.counts).await
}

/// One entry per message. A batch may hold a message twice, as it grew: the last content wins, the first place stays.
fn coalesce(
    sessions: &Sessions,
    messages: Vec<PreparedMessage>,
    sources: &HashMap<String, i64>,
) -> Result<Vec<Planned>, StoreError> {
    let rids: Vec<i64> = sessions.iter().map(|loaded| loaded.row.rid).collect();
    let mut planned: Vec<Planned> = Vec::with_capacity(messages.len());
    let mut at: HashMap<(usize, String), usize> = HashMap::with_capacity(messages.len());
    for mut message in messages {
        let session = sessions.index(&message.session_key)?;
        let mut references = Vec::with_capacity(message.records.len());
        for record in std::mem::take(&mut message.records) {
            let source = *sources
                .get(record.source.as_str())
                .ok_or_else(|| StoreError::Unknown(format!("source `{}`, nor does the store", record.source)))?;
            references.push(Reference { source, offset: record.offset, len: record.len });
        }
        if let Some(&index) = at.get(&(session, message.id.clone())) {
            let earlier = &mut planned[index];
            merge(&mut earlier.references, &references);
            earlier.message = message;
        } else {
            at.insert((session, message.id.clone()), planned.len());
            planned.push(Planned {
                message,
                session,
                session_rid: rids[session],
                rid: 0,
                seq: 0,
                revision: 1,
                copied: false,
                answered: false,
                was_edit: false,
                references,
                kind: Kind::Added,
            });
        }
    }
    Ok(planned)
}

/// Adds what isn't there yet, in place of what it covers. True if something was added.
fn merge(references: &mut Vec<Reference>, more: &[Reference]) -> bool {
    let mut grown = false;
    for reference in more {
        if !references.iter().any(|known| known.covers(*reference)) {
            references.retain(|known| !reference.covers(*known));
            references.push(*reference);
            grown = true;
        }
    }
    grown
}

/// Gives a message its place, or that of its stored row, and counts it in the row of its session.
fn place<'a>(
    step: &mut Step<'_>,
    sessions: &mut Sessions,
    planned: &mut Planned,
    old: Option<Old>,
    owners: (&'a Owners, &mut HandedOver<'a>),
    changes: &mut Changes,
) -> Result<(), StoreError> {
    let row = sessions.row(planned.session);
    if let Some(old) = old {
        place_again(row, planned, &old, changes)?;
        if matches!(planned.kind, Kind::Equal | Kind::Referenced) {
            return Ok(());
        }
    } else {
        planned.rid = step.rid();
        place_new(row, planned, owners, changes);
    }
    row.seen(planned.message.created_at.min(step.now.0));
    if !planned.copied {
        let message = &planned.message;
        row.approvals_open += i64::from(message.approval_open);
        if message.asks_input && !planned.answered {
            row.ask_seq = row.ask_seq.max(planned.seq);
        }
        if message.answers {
            row.user_seq = row.user_seq.max(planned.seq);
        }
        count(row, changes, planned.count_key(), (planned.message.created_at, 1));
    }
    Ok(())
}

/// Gives a message the place of its stored row, and takes what that counted out of the row of its session.
fn place_again(
    row: &mut SessionRow,
    planned: &mut Planned,
    old: &Old,
    changes: &mut Changes,
) -> Result<(), StoreError> {
    let mut references = unpack_references(&old.records)?;
    let grown = merge(&mut references, &planned.references);
    planned.references = references;
    (planned.rid, planned.seq, planned.copied) = (old.rid, old.seq, old.copied != 0);
    let is_equal = old.hash == planned.message.hash;
    if !planned.copied && (grown || !is_equal) {
        row.count_lines(old.lines(), planned.message.lines);
    }
    if is_equal {
        planned.revision = old.revision;
        planned.kind = if grown { Kind::Referenced } else { Kind::Equal };
        return Ok(());
    }
    planned.revision = old.revision + 1;
    planned.kind = Kind::Changed;
    planned.was_edit = old.is_edit();
    changes.change(planned.session_rid, planned.seq, planned.revision);
    if !planned.copied {
        row.approvals_open -= old.asks;
        planned.answered = old.is_answered();
        if row.ask_seq == old.seq && !planned.message.asks_input {
            row.ask_seq = 0;
        }
        follow_work(row, planned, old.work());
        count(row, changes, old.count_key(), (old.created_at, -1));
    }
    Ok(())
}

/// Gives a message that isn't stored yet the next place of its session. It may be a copy of another session's.
fn place_new<'a>(
    row: &mut SessionRow,
    planned: &mut Planned,
    (owners, handed_over): (&'a Owners, &mut HandedOver<'a>),
    changes: &mut Changes,
) {
    row.last_seq += 1;
    planned.seq = row.last_seq;
    let is_child = row.parent_key.is_some();
    if let Some(owner) = owners.find(planned).filter(|owner| !is_child && owner.agent == row.agent)
        && !handed_over.take(owner, planned.message.marks.is_copy, &row.id)
    {
        planned.copied = true;
        // A fork of a fork holds messages of both; the last ones tell which it was made from.
        row.forked_from = Some(owner.session_id.clone());
    }
    changes.add(planned.session_rid, planned.seq);
    begin_work(row, planned);
    if !planned.copied {
        row.count_lines((0, 0), planned.message.lines);
    }
}

/// Adds the work that a new message begins.
fn begin_work(row: &mut SessionRow, planned: &Planned) {
    let of_work = &planned.message.of_work;
    row.begin(of_work.work, planned.seq);
    if of_work.final_word {
        row.say_final_word(planned.seq);
    }
}

/// Updates the work after an update.
fn follow_work(row: &mut SessionRow, planned: &mut Planned, was: Work) {
    let of_work = &mut planned.message.of_work;
    of_work.work = was.updated(of_work.work);
    row.finish(was, planned.seq);
    if was == Work::Text && of_work.final_word {
        row.say_final_word(planned.seq);
    }
    row.begin(of_work.work, planned.seq);
}

/// Counts messages that were made at a time.
fn count(row: &mut SessionRow, changes: &mut Changes, key: CountKey, (created_at, by): (i64, i64)) {
    if key.shown() {
        row.message_count += by;
        *changes.activity.entry((row.rid, created_at / SLOT)).or_default() += by;
    }
    *changes.counts.entry(key).or_default() += by;
}

impl Planned {
    fn count_key(&self) -> CountKey {
        CountKey {
            session_rid: self.session_rid,
            role: self.message.role.as_str().to_owned(),
            message_type: self.message.message_type.clone(),
            display: i64::from(self.message.display),
            part: self.message.part.as_str().to_owned(),
        }
    }

    fn packed_references(&self) -> Vec<u8> {
        pack_references(&self.references)
    }
}

/// The rid and the words of a message that is to be found. Copied ones are found where they came from.
fn search_row(planned: &mut Planned) -> Option<(i64, String)> {
    if planned.copied || !matches!(planned.kind, Kind::Added | Kind::Changed) {
        return None;
    }
    let words = planned.message.words.take()?;
    Some((planned.rid, indexed(words, planned.session_rid, planned.message.remembered)))
}
