//! Questions, plans and forms that the program puts to a person: one event asks, another one says what was answered.
//!
//! Most belong to a call, which asks the same: then both are one message.

use super::Events;
use crate::parts::asks;
use crate::parts::at::{At, envelope};
use crate::parts::calls::payload;
use crate::parts::forms;
use crate::parts::obj::{Obj, value};
use crate::parts::result::Result;
use model::message_type::approval::{Approval, ApprovalKind, ApprovalState, Choice, Decision, Question};
use serde_json::{Map, Value};

/// Something that a person is asked.
pub(super) struct Asked {
    pub session: usize,
    pub message: String,
    /// It is what a call asks, whose result tells the answer as well.
    pub of_call: bool,
}

/// A message that asks: its content and its envelope.
type Card = (String, Map<String, Value>);

impl Events {
    /// A question, and what can be chosen.
    pub(super) fn question(&mut self, at: &mut At, kind: &str, data: &Obj) {
        let input = data.fields().map(|(key, raw)| (key.to_owned(), value(raw))).collect();
        let Some((content, mut metadata)) = asks::from_call("ask_user", &input) else {
            return self.shown(at, kind, data);
        };
        if data.raw("allowFreeform") == Some("false") {
            metadata["payload"]["questions"][0]["allow_text"] = false.into();
        }
        self.put(at, kind, data, data.filled("toolCallId"), (content, metadata));
    }

    /// A plan, and how the agent may go on after it.
    pub(super) fn plan(&mut self, at: &mut At, kind: &str, data: &Obj) {
        let summary = data.filled("summary").unwrap_or_else(|| "A plan".to_owned());
        let plan = data.filled("planContent").unwrap_or_else(|| summary.clone());
        let actions = data.value("actions").unwrap_or_default();
        let words = actions.as_array().into_iter().flatten().filter_map(Value::as_str);
        let option =
            |word: &str| Choice { id: word.to_owned(), label: word.replace('_', " "), description: None, kind: None };
        let options: Vec<Choice> = words.map(option).collect();
        let open = asks::open(ApprovalKind::Plan, &asks::plan_title(Some(&plan)));
        let question = Question { question: open.title.clone(), options, ..Question::default() };
        let questions = Some(question).filter(|question| !question.options.is_empty()).into_iter().collect();
        let asked = Approval { body: Some(plan.clone()), questions, ..open };
        let call = self.log.calls.newest_open(Some("exit_plan_mode"));
        self.put(at, kind, data, call, (plan, envelope(asked)));
    }

    /// A form of a server of tools, or of the agent.
    pub(super) fn form(&mut self, at: &mut At, kind: &str, data: &Obj) {
        let asked = forms::asked(data);
        self.put(at, kind, data, data.filled("toolCallId"), (asked.title.clone(), asks::request(asked)));
    }

    fn put(&mut self, at: &mut At, kind: &str, data: &Obj, call: Option<String>, (content, metadata): Card) {
        let Some(request) = data.filled("requestId") else { return self.shown(at, kind, data) };
        self.log.alive(at);
        let of_call = call.as_ref().and_then(|call| self.log.calls.asked(call));
        let known = of_call.and_then(|(session, message)| {
            let draft = self.log.book.change(session, &message, at.span)?;
            // The event has all that is asked.
            (draft.content, draft.metadata) = (content.clone(), Some(metadata.clone()));
            self.log.first.get_or_insert_with(|| draft.id.clone());
            Some(Asked { session, message, of_call: true })
        });
        let asked = known.unwrap_or_else(|| {
            let call_id = call.unwrap_or_else(|| request.clone());
            let mut draft = at.derived(&at.id, &call_id, content, metadata);
            draft.requires_user_input = true;
            self.log.first.get_or_insert_with(|| draft.id.clone());
            let message = draft.id.as_str().to_owned();
            self.log.book.keep(at.session, draft, at.span);
            Asked { session: at.session, message, of_call: false }
        });
        self.asked.insert(request, asked);
    }

    pub(super) fn question_answered(&mut self, at: &At, kind: &str, data: &Obj) {
        let answer = data.string("answer");
        self.decided(at, kind, data, |payload| {
            let text = answer?;
            let result = Result { state: "done", answers: Some(vec![text].into()), ..Result::default() };
            let content = asks::decide(payload, &Map::new(), &result, at.time);
            Some(content)
        });
    }

    pub(super) fn plan_decided(&mut self, at: &At, kind: &str, data: &Obj) {
        self.decided(at, kind, data, |payload| {
            let state = match data.raw("approved")? {
                "true" => ApprovalState::AllowedOnce,
                "false" => ApprovalState::Denied,
                _ => return None,
            };
            let (selected, text) = (data.filled("selectedAction").into_iter().collect(), data.filled("feedback"));
            let decision = Decision { selected, at: Some(at.time), text, ..Decision::new(state) };
            asks::write_decision(payload, &decision);
            Some(None)
        });
    }

    pub(super) fn form_filled(&mut self, at: &At, kind: &str, data: &Obj) {
        self.decided(at, kind, data, |payload| {
            data.filled("action")?;
            let decision = forms::filled(Some(data), at.time);
            let title = payload.get("title").and_then(Value::as_str).unwrap_or_default();
            let content = format!("{title} ({})", decision.state);
            asks::write_decision(payload, &decision);
            Some(Some(content))
        });
    }

    /// `decide` writes into the payload what was decided, and returns the new content; None where the event doesn't tell.
    fn decided(
        &mut self,
        at: &At,
        kind: &str,
        data: &Obj,
        decide: impl FnOnce(&mut Map<String, Value>) -> Option<Option<String>>,
    ) {
        let asked = data.filled("requestId").and_then(|request| self.asked.remove(&request));
        let Some(Asked { session, message, of_call }) = asked else { return self.shown(at, kind, data) };
        let Some(draft) = self.log.book.change(session, &message, at.span) else { return self.shown(at, kind, data) };
        self.log.first.get_or_insert_with(|| draft.id.clone());
        match payload(draft).map(|payload| (decide(payload), payload)) {
            Some((Some(content), _)) => {
                draft.requires_user_input = false;
                if let Some(content) = content {
                    draft.content = content;
                }
            }
            // The result of the call tells it.
            _ if of_call => {}
            Some((None, payload)) => {
                payload.insert("state".to_owned(), ApprovalState::DecidedElsewhere.as_str().into());
                draft.requires_user_input = false;
            }
            None => {}
        }
        if !of_call {
            self.log.book.release(session, &message);
        }
    }
}
