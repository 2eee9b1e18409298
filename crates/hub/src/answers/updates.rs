//! Changing a message: streaming its text, adding what came later, taking it back.

use super::messages::{entry, named};
use super::pages::Pages;
use super::{blobs, refusal, session_id};
use crate::compute::Lane;
use crate::quotas::usage;
use crate::types::TypeTable;
use crate::writer::Written;
use crate::{Caller, Scoped, clock, pace, posting, problem, routing};
use api::Problem;
use api::messages::MessagePath;
use api::posting::{UpdateMessage, Updated};
use api::sessions::SessionPath;
use model::message_type::approval::Approval;
use model::message_type::progress::UPDATED_AT;
use model::policy::remembers;
use model::routing::{Place, Rules};
use model::{Body, Draft, MessageId, MessageType, Micros, Provenance, Role, SessionId, Status, markdown};
use serde_json::{Map, Value};
use std::sync::Arc;
use store::{Changed, LiveDone, MessageQuery, NewMessage, Objection, Range, Refusal, StoredMessage, Sums, Usage};

/// What people said after a question that is looked through for its answer.
const LATER: usize = 100;

pub async fn update(scoped: &Scoped, path: &MessagePath, input: UpdateMessage) -> Result<Updated, Problem> {
    let session = session_id(scoped, &SessionPath { session: path.session.clone() }).await?;
    if input.content.is_some() && input.append.is_some() {
        return Err(Problem::field("/append", "absent where `content` is given"));
    }
    let mut bytes = [&input.content, &input.append].into_iter().flatten().map(|text| text.len() as u64).sum();
    let metadata = match input.message_metadata {
        Some(given) => {
            let (metadata, size): (Replacement, u64) = replacement(scoped, given).await?;
            bytes += size;
            Some(metadata)
        }
        None => None,
    };
    let message = named(scoped, &session, &path.message).await?;
    let change = MessageEdit {
        content: input.content,
        append: input.append,
        metadata,
        status: input.status,
        requires_user_input: input.requires_user_input,
        by: Changer::of(&scoped.caller),
        at: clock::now(),
        types: scoped.hub.types().await?,
        rules: scoped.hub.routing.rules(&session, Place::Own),
    };
    if change.asks_alone() {
        still_open(scoped, &session, &message).await?;
    }
    let wanted = usage(0, bytes);
    let write = async {
        match input.if_match {
            None => pace::write(&scoped.hub, (session, message), change).await,
            if_match => pace::write_all(&scoped.hub, &(session, message), if_match, Arc::new([change])).await,
        }
    };
    let used = |written: &Written| if written.is_ok() { wanted } else { Usage::default() };
    match scoped.hub.quotas.pay(&scoped.caller, wanted, write, used).await?.map_err(refusal)? {
        (LiveDone::Changed { message, .. }, pos) => {
            blobs::attach(scoped, &message.message).await?;
            Ok(Updated { message: entry(*message), pos })
        }
        _ => Err(Problem::internal()),
    }
}

async fn replacement(scoped: &Scoped, given: Value) -> Result<(Replacement, u64), Problem> {
    let types = scoped.hub.type_settings.get();
    let read = move |caller: &Caller, given: Value| {
        let bytes = given.to_string().len() as u64;
        posting::metadata(caller, &types, Some(given)).map(|(metadata, _)| (Replacement(metadata), bytes))
    };
    if posting::is_small(Some(&given)) {
        return read(&scoped.caller, given);
    }
    let caller = scoped.caller.clone();
    scoped.compute(move |_| read(&caller, given)).await?
}

/// A question that was answered stays so: who waited for another answer would wait for ever.
async fn still_open(scoped: &Scoped, session: &SessionId, message: &MessageId) -> Result<(), Problem> {
    let workspace = &scoped.hub.workspace;
    let Some(question) = workspace.message(session, message).await.map_err(problem)? else { return Ok(()) };
    if !question.message.draft.requires_user_input {
        return Ok(());
    }
    let query = MessageQuery { roles: vec![Role::User], ..MessageQuery::new(Range::After(0, 0)) };
    let answers = |said: &StoredMessage| {
        let draft = &said.message.draft;
        draft.status != Status::Retracted
            && draft.answers_in_words()
            && draft.is_about().is_none_or(|id| id == message.as_str())
    };
    if Pages::after(scoped, session, question.message.seq, query).find(LATER, answers).await?.is_none() {
        return Ok(());
    }
    Err(Problem {
        field: Some("/requires_user_input".to_owned()),
        ..Problem::new(409, "answered", "It is answered already").hint("Ask again with a message of its own")
    })
}

/// The metadata that comes instead; None clears it.
#[derive(Clone)]
struct Replacement(Option<Map<String, Value>>);

/// What is asked for.
#[derive(Clone)]
pub struct MessageEdit {
    content: Option<String>,
    append: Option<String>,
    metadata: Option<Replacement>,
    status: Option<Status>,
    requires_user_input: Option<bool>,
    by: Changer,
    at: Micros,
    types: Arc<TypeTable>,
    rules: Arc<Rules>,
}

/// Who asks for a change.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Changer {
    Agent,
    Person,
    /// Whoever runs the server, at its own machine.
    Host,
}

impl Changer {
    fn of(caller: &Caller) -> Self {
        match caller {
            Caller::Agent(_) => Self::Agent,
            Caller::Owner => Self::Person,
            Caller::Local => Self::Host,
        }
    }
}

impl MessageEdit {
    /// Returns true for a piece of a text that isn't complete.
    pub fn grows(&self) -> bool {
        let says = self.content.is_some() || self.append.is_some();
        says && self.metadata.is_none() && matches!(self.status, None | Some(Status::Streaming))
    }

    /// Returns true if texts are compared for it.
    pub fn takes_long(&self, current: &StoredMessage) -> bool {
        let is_edit = |tag: &str| tag == MessageType::CodeEdit;
        let given = self.metadata.as_ref().and_then(|Replacement(given)| given.as_ref()?.get("message_type")?.as_str());
        is_edit(current.message.draft.message_type()) || given.is_some_and(is_edit)
    }

    /// Who waits for them to be worked out.
    pub fn lane(changes: &[Self]) -> Lane {
        if changes.iter().any(|change| change.by == Changer::Agent) { Lane::Agents } else { Lane::People }
    }

    /// Returns true if it takes the message back, and does nothing else.
    fn takes_back(&self) -> bool {
        let silent = self.content.is_none() && self.append.is_none() && self.metadata.is_none();
        silent && self.requires_user_input.is_none() && self.status == Some(Status::Retracted)
    }

    /// Of an approval that isn't open any more nothing changes of what it asked, and what a person decided on stays.
    fn changes_what_was_decided(&self, old: &Body) -> bool {
        let says = self.content.is_some() || self.append.is_some() || self.metadata.is_some();
        let retracts = self.by == Changer::Agent && self.status == Some(Status::Retracted);
        let concerns = |approval: &Approval| !approval.state.is_open() && (says || approval.decision.is_some());
        (says || retracts) && matches!(old, Body::Approval(approval) if concerns(approval))
    }

    /// Returns who vouches for the message afterwards. What a reader recorded is no longer a fact once somebody rewrote it, and
    /// words of a key stay those of a key.
    fn provenance_after(&self, before: Provenance) -> Provenance {
        let says = self.content.is_some() || self.append.is_some() || self.metadata.is_some();
        match (self.by, before) {
            (Changer::Agent, _) if says => Provenance::Key,
            (_, Provenance::Reader | Provenance::Ourselves) if self.metadata.is_some() => Provenance::Person,
            _ => before,
        }
    }

    /// Returns true if it asks a person, and does nothing else.
    fn asks_alone(&self) -> bool {
        let silent = self.content.is_none() && self.append.is_none() && self.metadata.is_none();
        silent && self.status.is_none() && self.requires_user_input == Some(true)
    }

    /// One after the other, as one revision.
    pub fn apply_all(changes: &[Self], current: &StoredMessage) -> Result<Changed, Refusal> {
        let Some((last, before)) = changes.split_last() else { return Err(Refusal::NoMessage) };
        let mut at = current.clone();
        let (mut sums, mut grows) = (Sums::default(), true);
        for change in before {
            let changed = change.apply(&at)?;
            at.message.draft = changed.message.draft;
            sums = sums.then(changed.message.sums);
            grows &= changed.grows;
        }
        let changed = last.apply(&at)?;
        let (sums, grows) = (sums.then(changed.message.sums.clone()), grows && changed.grows);
        Ok(Changed { message: NewMessage { sums, ..changed.message }, grows, ..changed })
    }

    fn edit_content(&self, draft: &mut Draft, old: &Draft) -> Result<(), Refusal> {
        if let Some(content) = &self.content {
            draft.content.clone_from(content);
        }
        if let Some(more) = &self.append {
            draft.content.push_str(more);
        }
        if draft.content.len() > posting::CONTENT_BYTES && draft.content.len() > old.content.len() {
            let field = if self.append.is_some() { "/append" } else { "/content" };
            return Err(Refusal::TooLong { field, most: posting::CONTENT_BYTES });
        }
        Ok(())
    }

    /// `chosen` is what a person chose in the message, by its key.
    fn edit_metadata(&self, draft: &mut Draft, (old, old_body): (&Draft, &Body), chosen: Option<(&str, &Value)>) {
        let Some(Replacement(metadata)) = &self.metadata else { return };
        draft.metadata.clone_from(metadata);
        // What a person chose stays, also where the agent doesn't repeat it.
        if let (Some(extras), Some((key, value))) = (draft.metadata.as_mut(), chosen)
            && extras.get(key) == Some(value)
        {
            extras.shift_remove(key);
        }
        let generated = |draft: &Draft| draft.message_type() != MessageType::Text;
        let is_generated = || {
            old.content == markdown::generated(old, old_body)
                || self.types.content(old, old_body).is_some_and(|said| said == old.content)
        };
        let untold = self.content.is_none() && self.append.is_none();
        // What was made from the payload says what was true before: a tool call that runs.
        if untold && generated(old) && generated(draft) && is_generated() {
            draft.content.clear();
        }
    }

    fn apply(&self, current: &StoredMessage) -> Result<Changed, Refusal> {
        let refuse = |objection| Err(Refusal::Rule(objection, Some(Box::new(current.clone()))));
        let old = &current.message.draft;
        let agents = posting::AGENTS.contains(&old.role);
        let alive = self.by != Changer::Person;
        // Nobody puts words into another's mouth. A person may take back what an agent said, though.
        let may = match self.by {
            Changer::Agent => agents,
            Changer::Person => !agents || self.takes_back(),
            Changer::Host => true,
        };
        if !may {
            return refuse(Objection::NotYours);
        }
        let old_body = Body::of(old);
        if old.status == Status::Retracted && self.takes_back() {
            // Said again, it is as true as before.
            let message = NewMessage { sums: Sums::default(), ..posting::new_message(old.clone(), old_body) };
            return Ok(Changed { message, follow_up: None, grows: false, alive });
        }
        if self.changes_what_was_decided(&old_body) {
            return refuse(Objection::Decided);
        }
        let status = self.status.unwrap_or(old.status);
        if !follows(old.status, status) {
            return refuse(Objection::Status);
        }
        let mut draft = Draft { status, ..old.clone() };
        let chosen = posting::choices(old).and_then(|key| Some((key, old.metadata.as_ref()?.get(key)?)));
        self.edit_content(&mut draft, old)?;
        self.edit_metadata(&mut draft, (old, &old_body), chosen);
        draft.provenance = self.provenance_after(old.provenance);
        routing::keep_mark(old, &mut draft, &self.rules);
        if let Some(requires) = self.requires_user_input {
            if requires && draft.role == Role::User {
                return refuse(Objection::NotYours);
            }
            draft.requires_user_input = requires;
        }
        let body = Body::of(&draft);
        self.types.complete(&mut draft, &body);
        posting::complete(&mut draft, &body);
        if self.by == Changer::Agent && posting::agents_own(&draft, &body).is_err() && self.metadata.is_some() {
            return refuse(Objection::NotYoursToDecide);
        }
        if posting::asks_in_sight(&draft, &body).is_err() && posting::asks_in_sight(old, &old_body).is_ok() {
            return refuse(Objection::OutOfSight);
        }
        let stays = match (&old_body, &body) {
            (Body::CodeReview(earlier), Body::CodeReview(review)) => review.carry(earlier, old.metadata.as_ref()),
            (Body::CodeReview(_), _) => None,
            _ => chosen.map(|(key, value)| (key.to_owned(), value.clone())),
        };
        if let (Some(extras), Some((key, value))) = (draft.metadata.as_mut(), stays) {
            extras.insert(key, value);
        }
        // How fast it gets on, and whether it still does, is told by when it was changed.
        if let (Some(extras), Body::Progress(_)) = (draft.metadata.as_mut(), &body) {
            extras.insert(UPDATED_AT.to_owned(), Value::from(self.at.0));
        }
        let remembered = remembers(&draft, &self.rules.remembered_tools);
        let message = NewMessage { remembered, ..posting::new_message(draft, body) };
        // What it counted before goes; a retracted edit counts no more.
        let before = posting::new_message(old.clone(), old_body).sums;
        let after = if status == Status::Retracted { Sums::default() } else { message.sums.clone() };
        let sums = Sums {
            lines_added: after.lines_added - before.lines_added,
            lines_removed: after.lines_removed - before.lines_removed,
            // The store counts the list anew: this message may not be its last word.
            todos: None,
            first_prompt: after.first_prompt,
        };
        let written_on = old.role == Role::Assistant && old.status == Status::Streaming;
        let goes_on = message.draft.content.starts_with(&old.content);
        let grows = written_on && goes_on && self.grows() && self.requires_user_input.is_none();
        Ok(Changed { message: NewMessage { sums, ..message }, follow_up: None, grows, alive })
    }
}

/// May a message in one state come into the other?
fn follows(old: Status, new: Status) -> bool {
    use Status::{Error, Final, Retracted, Streaming};
    match old {
        Streaming => matches!(new, Streaming | Final | Error | Retracted),
        Final => matches!(new, Final | Retracted),
        Error => new == Retracted,
        Retracted | Status::Sending => false,
    }
}
