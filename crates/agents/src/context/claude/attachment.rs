//! Attachments: what the program gives to the model beside the conversation.

use super::content::blocks;
use crate::claude::readable;
use crate::context::block;
use crate::parts::obj::Obj;
use model::RecordRef;
use model::model_context::{ContextBlock, ContextPart as Part, ContextRole as Role};

/// Attachments that are recorded for people and never sent.
const UNSENT: [&str; 12] = [
    "already_read_file",
    "command_permissions",
    "edited_image_file",
    "hook_cancelled",
    "hook_deferred_tool",
    "hook_error_during_execution",
    "hook_non_blocking_error",
    "hook_permission_decision",
    "hook_success",
    "hook_system_message",
    "max_turns_reached",
    "structured_output",
];

/// Attachments that hold files.
const FILES: [&str; 6] =
    ["compact_file_reference", "directory", "edited_text_file", "file", "nested_memory", "pdf_reference"];

/// From this version on, what isn't a person's goes to the model as messages of the system, and texts that are joined have a line end
/// between them. Seen by running it.
const SYSTEM_SINCE: [u32; 3] = [2, 1, 185];

/// The role and the blocks that an attachment is sent with; no blocks if it isn't.
pub(super) fn read(attachment: &Obj, version: Option<&str>, at: &RecordRef) -> (Role, Vec<ContextBlock>) {
    let kind = attachment.filled("type").unwrap_or_default();
    let part = if FILES.contains(&kind.as_str()) { Part::Files } else { Part::Injected };
    let part = if kind == "queued_command" { Part::History } else { part };
    if let Some(rendered) = attachment.raw("rendered") {
        let role = match attachment.str("renderedRole").as_deref() {
            Some("system") => Role::System,
            Some("assistant") => Role::Assistant,
            _ => Role::User,
        };
        return (role, blocks(Some(rendered), part, at));
    }
    let role = if version.is_some_and(is_recent) { Role::System } else { Role::User };
    // The output of hooks is sent if they run for a prompt or at the start of a session.
    let is_told = kind == "hook_success"
        && matches!(attachment.str("hookEvent").as_deref(), Some("SessionStart" | "UserPromptSubmit"))
        && attachment.filled("content").is_some();
    if UNSENT.contains(&kind.as_str()) && !is_told {
        return (role, Vec::new());
    }
    let mut sent = if kind == "queued_command" && attachment.raw("prompt").is_some_and(|raw| raw.starts_with('[')) {
        blocks(attachment.raw("prompt"), part, at)
    } else if kind == "queued_command" {
        vec![block::text(attachment.string("prompt").unwrap_or_default(), part, Some(at))]
    } else {
        vec![block::text(readable(&kind, attachment), part, Some(at))]
    };
    for block in &mut sent {
        block.inexact = true;
    }
    (role, sent)
}

/// Returns true if the version puts messages together as newer ones do.
pub(super) fn is_recent(version: &str) -> bool {
    let mut parts = version.split('.').map_while(|part| part.parse::<u32>().ok());
    let version: Vec<u32> = parts.by_ref().take(SYSTEM_SINCE.len()).collect();
    version.as_slice() >= SYSTEM_SINCE.as_slice()
}
