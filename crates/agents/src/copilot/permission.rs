//! What the agent asked a person's leave for, and what was decided.

use super::Events;
use super::asks::Asked;
use crate::parts::at::{At, derived_id, envelope, message_id};
use crate::parts::calls::payload;
use crate::parts::obj::Obj;
use model::text::clip;
use serde_json::json;

/// Most characters of a command in a title.
const MAX_TITLE: usize = 100;

impl Events {
    pub(super) fn ask(&mut self, at: &mut At, data: &Obj) {
        let request = data.obj("permissionRequest").unwrap_or_else(|| data.clone());
        let Some(id) = data.filled("requestId") else { return self.shown(at, "permission.requested", data) };
        let call_id = request.filled("toolCallId").unwrap_or_else(|| id.clone());
        let of_call = message_id(&call_id);
        let title = asked_for(&request);
        let mut asked = json!({ "kind": "permission", "title": title, "questions": [], "state": "open" });
        if let Some(intention) = request.filled("intention") {
            asked["body"] = json!(intention);
        }
        self.log.alive(at);
        let message = derived_id(of_call.as_str(), "permission", 0);
        // A call may ask more than once.
        let is_new = self.log.book.give(at.session, &message);
        let message = if is_new { message } else { at.id.clone() };
        let mut draft = at.derived(&message, &call_id, title, envelope("APPROVAL", asked));
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
            "approved" if !by_hook => "allowed_once",
            "approved-for-session" | "approved-for-location" | "approved-always" if !by_hook => "allowed_always",
            "cancelled" => "cancelled",
            _ if kind.starts_with("denied") || kind == "rejected" => "denied",
            _ => "decided_elsewhere",
        };
        let asked = data.filled("requestId").and_then(|id| self.asked.remove(&id));
        let Some(Asked { session, message: id, .. }) = asked else {
            return self.shown(at, "permission.completed", data);
        };
        let Some(draft) = self.log.book.change(session, &id, at.span) else { return };
        self.log.first.get_or_insert_with(|| draft.id.clone());
        draft.requires_user_input = false;
        let verb = match state {
            "allowed_once" | "allowed_always" => "allowed",
            "decided_elsewhere" => "decided elsewhere",
            other => other,
        };
        draft.content = format!("{} ({verb})", draft.content);
        let mut decision = json!({ "state": state, "selected": [], "at": at.time, "via": "terminal" });
        // A rule or a hook says no by its kind: `denied-by-rules`.
        let rule = Some(kind).filter(|kind| state == "denied" && kind.starts_with("denied-by"));
        if let Some(text) = result.filled("feedback").or(rule) {
            decision["text"] = json!(text);
        }
        if state == "denied" {
            self.denied.extend(draft.call_id.clone());
        }
        if let Some(payload) = payload(draft) {
            payload.insert("state".to_owned(), json!(state));
            payload.insert("decision".to_owned(), decision);
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
                    payload.insert("state".to_owned(), json!(state));
                }
            }
            self.log.book.release(session, &id);
        }
    }
}

/// What was asked for, in a line: `Run git push`.
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
