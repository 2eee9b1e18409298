//! Every message as one line: for lists, search, notifications, screen readers and terminals.

use crate::{
    Body, Draft, Role, Status,
    envelope::{EditState, edit_info},
    markdown,
    message_type::code_edit::Edit,
    terminal, text,
    todo_state::TodoState,
};

/// Longest summary, in characters.
pub const MAX_CHARS: usize = 200;

/// Returns a message in one line of at most [`MAX_CHARS`] characters, never empty.
pub fn summary(draft: &Draft) -> String {
    summary_as(draft, &Body::of(draft))
}

/// Like [`summary`], for a message whose payload was parsed as `body`.
pub fn summary_as(draft: &Draft, body: &Body) -> String {
    if draft.status == Status::Retracted {
        return "Retracted".to_owned();
    }
    let said = match body {
        Body::Todo(todo) if draft.role == Role::User => todo.ticked(),
        Body::Todo(todo) => TodoState::new(todo.clone(), draft.metadata.as_ref()).summary(),
        Body::CodeEdit(edit) => match edit.edits.as_slice() {
            [one] => edit_line(draft, one, 0),
            _ => body.summary(),
        },
        _ => body.summary(),
    };
    let line = text::one_line(&said, MAX_CHARS);
    if !line.is_empty() {
        return line;
    }
    let is_unread = matches!(body, Body::Unknown { .. } | Body::Invalid { .. });
    let content = if is_unread { markdown::without_data(&draft.content, body) } else { &draft.content };
    // In one line the steps of a progress bar would be side by side.
    let shown = (draft.role == Role::Tool).then(|| terminal::plain(content));
    let line = text::one_line(shown.as_deref().unwrap_or(content), MAX_CHARS);
    if !line.is_empty() {
        return line;
    }
    match body {
        Body::Text(_) => "Empty message".to_owned(),
        _ if is_unread => text::one_line(&markdown::heading(body), MAX_CHARS),
        _ => text::one_line(&format!("{} message", body.message_type()), MAX_CHARS),
    }
}

/// Returns `Edit: path`, with its state if it isn't `applied`.
pub(crate) fn edit_line(draft: &Draft, edit: &Edit, index: usize) -> String {
    let line = format!("{}: {}", edit.verb(), edit.file_path);
    match edit_info(draft.metadata.as_ref(), index).state {
        None | Some(EditState::Applied) => line,
        Some(state) => format!("{line} ({})", state.label()),
    }
}

#[cfg(test)]
mod tests {
    use super::summary;
    use crate::{Draft, MessageId, Micros, Role};
    use serde_json::json;

    fn draft(role: Role, content: &str, metadata: &serde_json::Value) -> Draft {
        let id = MessageId::parse("m1").expect("an id");
        let metadata = metadata.as_object().cloned();
        Draft { metadata, ..Draft::text(id, role, "bot", content, Micros(0)) }
    }

    #[test]
    fn every_message_has_a_line() {
        let edit = |state: &str| {
            json!({"message_type": "CODE_EDIT", "payload": {"edits": [{"file_path": "a.rs", "new_content": "x"}]},
                "edit_info": [{"state": state, "scope": "file"}]})
        };
        let tick = json!({"message_type": "TODO", "payload": {"todos": [{"id": "1", "content": "Test it", "status": "completed"}]}});
        let lines = [
            summary(&draft(Role::User, "# Title\n\nbody\ttext", &json!(null))),
            summary(&draft(Role::User, " \n", &json!(null))),
            summary(&draft(Role::Assistant, "", &edit("applied"))),
            summary(&draft(Role::Assistant, "", &edit("failed"))),
            summary(&draft(Role::User, "", &tick)),
            summary(&draft(Role::Assistant, "", &json!({"message_type": "HOLOGRAM", "payload": {}}))),
            summary(&draft(
                Role::Assistant,
                "```json\n{\n  \"n\": 1,\n  \"title\": \"Staging\"\n}\n```",
                &json!({"message_type": "acme.deploy/plan@1", "payload": {"n": 1, "title": "Staging"}}),
            )),
            summary(&draft(Role::Assistant, "a hologram", &json!({"message_type": "HOLOGRAM", "payload": {}}))),
            summary(&draft(
                Role::Assistant,
                "still readable",
                &json!({"message_type": "TODO", "payload": {"todos": []}}),
            )),
        ];
        assert_eq!(
            lines,
            [
                "# Title body text",
                "Empty message",
                "Create: a.rs",
                "Create: a.rs (failed)",
                "Ticked: Test it",
                "HOLOGRAM message",
                "acme.deploy/plan: Staging",
                "a hologram",
                "still readable",
            ]
        );
    }
}
