//! A change of a message, and what it makes of the message.

use crate::caller::Caller;
use crate::context::compute::Lane;
use crate::requests::card;
use crate::routing;
use crate::types::TypeTable;
use crate::writing::posting;
use crate::writing::posting::ORIGIN;
use model::closed::Closed;
use model::message_type::approval::Approval;
use model::message_type::progress::UPDATED_AT;
use model::policy::remembers;
use model::routing::Rules;
use model::{Body, Draft, MessageType, Micros, Provenance, Role, Status, markdown};
use serde_json::{Map, Value};
use std::sync::Arc;
use store::{Changed, NewMessage, Objection, Refusal, StoredMessage, Sums};

/// The metadata that comes instead; None clears it.
#[derive(Clone)]
pub struct Replacement(pub Option<Map<String, Value>>);

/// The requested change.
#[derive(Clone)]
pub struct MessageEdit {
    pub content: Option<String>,
    pub append: Option<String>,
    pub metadata: Option<Replacement>,
    pub status: Option<Status>,
    pub requires_user_input: Option<bool>,
    pub by: Changer,
    pub at: Micros,
    pub types: Arc<TypeTable>,
    pub rules: Arc<Rules>,
}

/// Author of a change.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Changer {
    Agent,
    Person,
    /// Whoever runs the server, at its own machine.
    Host,
}

impl Changer {
    pub fn of(caller: &Caller) -> Self {
        match caller {
            Caller::Agent(_) => Self::Agent,
            Caller::User(_) => Self::Person,
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

    /// Returns the priority of the work.
    pub fn lane(changes: &[Self]) -> Lane {
        if changes.iter().any(|change| change.by == Changer::Agent) { Lane::Agents } else { Lane::People }
    }

    /// Returns true if it takes the message back, and does nothing else.
    fn takes_back(&self) -> bool {
        let silent = self.content.is_none() && self.append.is_none() && self.metadata.is_none();
        silent && self.requires_user_input.is_none() && self.status == Some(Status::Retracted)
    }

    /// Returns true if the change alters the content of a closed approval, or what a person decided on.
    fn changes_what_was_decided(&self, old: &Body) -> bool {
        let says = self.content.is_some() || self.append.is_some() || self.metadata.is_some();
        let retracts = self.by == Changer::Agent && self.status == Some(Status::Retracted);
        let concerns = |approval: &Approval| !approval.state.is_open() && (says || approval.decision.is_some());
        (says || retracts) && matches!(old, Body::Approval(approval) if concerns(approval))
    }

    /// Returns who vouches for the message afterwards. What a reader recorded is no longer a fact once somebody rewrote
    /// it, and words of a key stay those of a key.
    fn provenance_after(&self, before: Provenance) -> Provenance {
        let says = self.content.is_some() || self.append.is_some() || self.metadata.is_some();
        match (self.by, before) {
            (Changer::Agent, _) if says => Provenance::Key,
            (_, Provenance::Reader | Provenance::Ourselves) if self.metadata.is_some() => Provenance::Person,
            _ => before,
        }
    }

    /// Returns true if it asks a person, and does nothing else.
    pub fn asks_alone(&self) -> bool {
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
        let closed = old.metadata.as_ref().and_then(|extras| extras.get(Closed::KEY));
        if let Some(extras) = draft.metadata.as_mut()
            && closed.is_some()
            && extras.get(Closed::KEY) == closed
        {
            extras.shift_remove(Closed::KEY);
        }
        // A person's choice stays, even if the agent doesn't repeat it.
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
        // Generated content shows an older state: a tool call that is running.
        if untold && generated(old) && generated(draft) && is_generated() {
            draft.content.clear();
        }
    }

    /// Nobody puts words into another's mouth. A person may take back what an agent said, though.
    fn may_change(&self, old: &Draft) -> bool {
        let is_agents = posting::AGENTS.contains(&old.role);
        match self.by {
            Changer::Agent => is_agents,
            Changer::Person => !is_agents || self.takes_back(),
            Changer::Host => true,
        }
    }

    /// Carries over what the server or a person said of the message before, and notes when its progress changed.
    fn carry(&self, draft: &mut Draft, body: &Body, (old, old_body): (&Draft, &Body), chosen: Option<(&str, &Value)>) {
        let stays = match (old_body, body) {
            (Body::CodeReview(earlier), Body::CodeReview(review)) => review.carry(earlier, old.metadata.as_ref()),
            (Body::CodeReview(_), _) => None,
            _ => chosen.map(|(key, value)| (key.to_owned(), value.clone())),
        };
        if let Some(closed) = Closed::of(old) {
            card::mark(draft, &closed);
        }
        if let Some(extras) = draft.metadata.as_mut() {
            extras.extend(stays);
            // How fast it gets on, and whether it still does, is told by when it was changed.
            if matches!(body, Body::Progress(_)) {
                extras.insert(UPDATED_AT.to_owned(), Value::from(self.at.0));
            }
        }
    }

    fn apply(&self, current: &StoredMessage) -> Result<Changed, Refusal> {
        let refuse = |objection| Err(Refusal::Rule(objection, Some(Box::new(current.clone()))));
        let old = &current.message.draft;
        let alive = self.by != Changer::Person;
        if !self.may_change(old) {
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
        keep_origin(old, &mut draft);
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
        self.carry(&mut draft, &body, (old, &old_body), chosen);
        let remembered = remembers(&draft, &self.rules.remembered_tools);
        let message = NewMessage { remembered, ..posting::new_message(draft, body) };
        let before = posting::new_message(old.clone(), old_body).sums;
        let sums = difference(before, message.sums.clone(), status);
        let written_on = old.role == Role::Assistant && old.status == Status::Streaming;
        let goes_on = message.draft.content.starts_with(&old.content);
        let grows = written_on && goes_on && self.grows() && self.requires_user_input.is_none();
        Ok(Changed { message: NewMessage { sums, ..message }, follow_up: None, grows, alive })
    }
}

/// Returns how a change alters the counts of a session. A retracted edit no longer counts.
fn difference(before: Sums, after: Sums, status: Status) -> Sums {
    let after = if status == Status::Retracted { Sums::default() } else { after };
    Sums {
        lines_added: after.lines_added - before.lines_added,
        lines_removed: after.lines_removed - before.lines_removed,
        // The store counts the list anew: this message may not be its last word.
        todos: None,
        first_prompt: after.first_prompt,
    }
}

/// Keeps where a person's message came from, also where its metadata is replaced: that doesn't change, and the channel
/// that it came by isn't told of it.
fn keep_origin(old: &Draft, draft: &mut Draft) {
    let is_persons = old.role == Role::User;
    let origin = old.metadata.as_ref().filter(|_| is_persons).and_then(|extras| extras.get(ORIGIN));
    if let Some(origin) = origin {
        draft.metadata.get_or_insert_default().insert(ORIGIN.to_owned(), origin.clone());
    }
}

/// Returns true if a message can change from one status to the other.
fn follows(old: Status, new: Status) -> bool {
    use Status::{Error, Final, Retracted, Streaming};
    match old {
        Streaming => matches!(new, Streaming | Final | Error | Retracted),
        Final => matches!(new, Final | Retracted),
        Error => new == Retracted,
        Retracted | Status::Sending => false,
    }
}
