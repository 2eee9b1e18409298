//! Requests for permission, and their decisions.

use super::Events;
use super::asks::Asked;
use crate::parts::asks;
use crate::parts::at::{At, derived_id, message_id};
use crate::parts::calls::payload;
use crate::parts::obj::Obj;
use model::message_type::approval::{Approval, ApprovalKind, ApprovalState, Decision};
use model::text::clip;

/// Most characters of a command in a title.
const MAX_TITLE: usize = 100;

impl Events {
    pub(super) fn ask(&mut self, at: &mut At, data: &Obj) {
        let request = data.obj("permissionRequest").unwrap_or_else(|| data.clone());
        let Some(id) = data.filled("requestId") else { return self.shown(at, "permission.requested", data) };
        let call_id = request.filled("toolCallId").unwrap_or_else(|| id.clone());
        let of_call = message_id(&call_id);
        let title = asked_for(&request);
        let body = request.filled("intention");
        let asked = Approval { body, ..asks::open(ApprovalKind::Permission, &title) };
        self.log.alive(at);
        let message = derived_id(of_call.as_str(), "permission", 0);
        // A call may ask more than once.
        let is_new = self.log.book.give(at.session, &message);
        let message = if is_new { message } else { at.id.clone() };
        let mut draft = at.derived(&message, &call_id, title, asks::request(asked));
        draft.requires_user_input = true;
        self.log.first.get_or_insert_with(|| draft.id.clone());
        let message = draft.id.as_str().to_owned();
        self.log.book.keep(at.session, draft, at.span);
        self.asked.insert(id, Asked { session: at.session, message, of_call: false });
    }

    pub(super) fn decide(&mut self, at: &At, data: &Obj) {
        let result = data.obj("result").unwrap_or_else(|| data.clone());
        let kind = result.filled("kind").unwrap_or_default();
        let by_hook = data.is_true("resolvedByHook");
        let state = match kind.as_str() {
            "approved" if !by_hook => ApprovalState::AllowedOnce,
            "approved-for-session" | "approved-for-location" | "approved-always" if !by_hook => {
                ApprovalState::AllowedAlways
            }
            "cancelled" => ApprovalState::Cancelled,
            _ if kind.starts_with("denied") || kind == "rejected" => ApprovalState::Denied,
            _ => ApprovalState::DecidedElsewhere,
        };
        let asked = data.filled("requestId").and_then(|id| self.asked.remove(&id));
        let Some(Asked { session, message: id, .. }) = asked else {
            return self.shown(at, "permission.completed", data);
        };
        let Some(draft) = self.log.book.change(session, &id, at.span) else { return };
        self.log.first.get_or_insert_with(|| draft.id.clone());
        draft.requires_user_input = false;
        let verb = match state {
            ApprovalState::AllowedOnce | ApprovalState::AllowedAlways => "allowed".to_owned(),
            other => other.label(),
        };
        draft.content = format!("{} ({verb})", draft.content);
        // A rule or a hook says no by its kind: `denied-by-rules`.
        let is_denied = state == ApprovalState::Denied;
        let rule = Some(kind).filter(|kind| is_denied && kind.starts_with("denied-by"));
        let (text, via) = (result.filled("feedback").or(rule), Some("terminal".to_owned()));
        let decision = Decision { at: Some(at.time), text, via, ..Decision::new(state) };
        if is_denied {
            self.denied.extend(draft.call_id.clone());
        }
        if let Some(payload) = payload(draft) {
            asks::write_decision(payload, &decision);
        }
        self.log.book.release(session, &id);
    }

    /// The conversation goes on: nobody decides any more what is still open.
    pub(super) fn expire(&mut self, at: &At, state: &str) {
        let here = self.asked.extract_if(|_, asked| asked.session == at.session);
        for (_, Asked { session, message: id, of_call }) in here {
            // A call says itself what became of it.
            if of_call {
                continue;
            }
            if let Some(draft) = self.log.book.touch(session, &id) {
                draft.requires_user_input = false;
                if let Some(payload) = payload(draft) {
                    payload.insert("state".to_owned(), state.into());
                }
            }
            self.log.book.release(session, &id);
        }
    }
}

/// Returns a line that describes the request: `Run git push`.
fn asked_for(request: &Obj) -> String {
    let get = |key: &str| request.filled(key).map(|text| clip(&text, MAX_TITLE));
    let kind = request.filled("kind").unwrap_or_default();
    let (verb, target) = match kind.as_str() {
        "shell" => ("Run", get("fullCommandText")),
        "write" => ("Edit", get("fileName")),
        "read" => ("Read", get("path")),
        "url" => ("Fetch", get("url")),
        _ => ("Use", get("toolTitle").or_else(|| get("toolName"))),
    };
    match target {
        Some(target) => format!("{verb} {target}"),
        None => get("intention").unwrap_or_else(|| format!("Use of {kind}")),
    }
}
