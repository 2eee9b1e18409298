//! Requests for permission, and their decisions.

use super::Messages;
use super::requests::Request;
use crate::parts::asks;
use crate::parts::at::{At, derived_id, message_id};
use crate::parts::blocks::result_text;
use crate::parts::calls::payload;
use crate::parts::forms;
use crate::parts::obj::Obj;
use crate::parts::result::Result;
use model::message_type::approval::{Approval, ApprovalKind, ApprovalState, Choice, Decision, OptionKind, Question};
use std::collections::HashSet;

impl Messages {
    /// Adds the request for permission as an approval, together with the call that it is about.
    pub(super) fn ask(&mut self, at: &mut At, params: &Obj, request: &mut Request) {
        let subject = params.obj("subject");
        let call = params.obj("toolCall").or_else(|| subject.as_ref()?.obj("toolCall"));
        self.ensure_run(at);
        self.talk(at.session).end_text();
        if let Some(call) = &call {
            self.tool_call(at, call);
            request.call_id = call.filled("toolCallId");
        }
        let known = request.call_id.as_ref().and_then(|id| {
            let title = self.calls.payload(&self.book, id)?.get("title")?;
            Some(title.as_str()?.to_owned())
        });
        let command = subject.as_ref().and_then(|subject| subject.filled("command"));
        let title = params.filled("title").or_else(|| call.as_ref()?.filled("title")).or(known).or(command);
        let title = title.unwrap_or_else(|| "Permission".to_owned());
        let is_mode = call.as_ref().is_some_and(|call| call.str("kind").as_deref() == Some("switch_mode"));
        let content = call.as_ref().and_then(|call| call.raw("content")).filter(|_| is_mode).map(result_text);
        let mut names = HashSet::new();
        let mut options = Vec::new();
        for option in params.list("options").unwrap_or_default().into_iter().filter_map(Obj::parse) {
            let Some(id) = option.filled("optionId").filter(|id| names.insert(id.clone())) else { continue };
            let label = option.filled("name").unwrap_or_else(|| id.clone());
            let kind = option.filled("kind").and_then(|kind| OptionKind::parse(&kind));
            request.options.push((id.clone(), kind));
            options.push(Choice { id, label, description: None, kind });
        }
        let kind = if is_mode { ApprovalKind::Plan } else { ApprovalKind::Permission };
        let open = asks::open(kind, &title);
        let questions = vec![Question { question: title, options, ..Question::default() }];
        let body = params.filled("description").or(content).filter(|body| !body.is_empty());
        self.open_approval(at, Approval { questions, body, ..open }, request);
    }

    /// A form, or an address to open.
    pub(super) fn ask_form(&mut self, at: &mut At, params: &Obj, request: &mut Request) {
        self.ensure_run(at);
        self.open_approval(at, forms::asked(params), request);
    }

    fn open_approval(&mut self, at: &At, asked: Approval, request: &mut Request) {
        let own = request.call_id.as_ref().map(|id| derived_id(message_id(id).as_str(), "approval", 0));
        // A call may ask more than once.
        let id = own.filter(|id| self.book.give(at.session, id)).unwrap_or_else(|| at.id.clone());
        let call_id = request.call_id.clone().unwrap_or_else(|| at.id.clone());
        let mut draft = at.derived(&id, &call_id, asked.title.clone(), asks::request(asked));
        draft.requires_user_input = true;
        request.message = Some(draft.id.as_str().to_owned());
        self.book.keep(at.session, draft, at.span);
    }

    pub(super) fn decide(&mut self, at: &At, request: &Request, result: Option<&Obj>) {
        let outcome = result.and_then(|result| result.obj("outcome"));
        let chosen = outcome.as_ref().and_then(|outcome| outcome.filled("optionId"));
        let kind = chosen.as_ref().and_then(|chosen| request.options.iter().find(|(id, _)| id == chosen));
        let state = match kind.and_then(|(_, kind)| *kind) {
            Some(OptionKind::AllowOnce) => ApprovalState::AllowedOnce,
            Some(OptionKind::AllowAlways) => ApprovalState::AllowedAlways,
            Some(OptionKind::RejectOnce | OptionKind::RejectAlways) => ApprovalState::Denied,
            None if chosen.is_some() => ApprovalState::Answered,
            None => ApprovalState::Cancelled,
        };
        if let Some(call_id) = request.call_id.clone().filter(|_| state == ApprovalState::Denied) {
            // Some agents tell no more of it.
            let result = Result { state: "denied", text: "Denied".to_owned(), ..Result::default() };
            self.calls.settle_by(&mut self.book, at, &call_id, &result);
            self.calls.finish(&mut self.book, at, &call_id, result);
            self.denied.insert(call_id);
        }
        let selected = chosen.into_iter().collect();
        self.close_approval(at, request, &Decision { selected, at: Some(at.time), ..Decision::new(state) });
    }

    pub(super) fn decide_form(&mut self, at: &At, request: &Request, result: Option<&Obj>) {
        self.close_approval(at, request, &forms::filled(result, at.time));
    }

    fn close_approval(&mut self, at: &At, request: &Request, decision: &Decision) {
        let Some(id) = &request.message else { return };
        let Some(draft) = self.book.change(request.session, id, at.span) else { return };
        draft.requires_user_input = false;
        let state = decision.state.as_str();
        let verb = if state.starts_with("allowed") { "allowed" } else { state };
        draft.content = format!("{} ({verb})", draft.content);
        if let Some(payload) = payload(draft) {
            asks::write_decision(payload, decision);
        }
        self.book.release(request.session, id);
    }
}
