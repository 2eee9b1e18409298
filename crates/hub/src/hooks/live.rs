//! Derives the state of an agent from events of its hooks.

use crate::hooks::turn::Turn;
use crate::requests::card::waits_for;
use api::hooks::HookEvent;
use model::Micros;
use model::session::{Live, LiveState};
use model::text::one_line;

/// Characters of a reason.
const REASON: usize = 160;

/// Returns the state that an event shows, in a turn that has taken it; None for one that shows none.
pub fn of(event: &HookEvent, turn: &Turn, at: Micros) -> Option<Live> {
    use LiveState::{Done, Failed, Idle, Waiting, Working};
    let tool = event.tool_name.as_deref().unwrap_or("a tool");
    let (state, reason) = match event.hook_event_name.as_str() {
        // A sub-agent works on behind a turn that is over.
        "PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "SubagentStart" | "SubagentStop" if turn.is_over => {
            (Idle, turn.rest())
        }
        "UserPromptSubmit" => (Working, "Works on a prompt".to_owned()),
        "PreToolUse" => (Working, format!("Runs {tool}")),
        "PostToolUse" => (Working, format!("Ran {tool}")),
        "PostToolUseFailure" => (Working, format!("{tool} failed")),
        "SubagentStart" | "SubagentStop" => (Working, "Works with a sub-agent".to_owned()),
        "PreCompact" => (Working, "Compacts its context".to_owned()),
        "PermissionRequest" => (Waiting, waits_for(tool)),
        "Notification" => match event.notification_type.as_deref()? {
            "permission_prompt" | "elicitation_dialog" => {
                (Waiting, event.message.clone().unwrap_or_else(|| "Asks in its terminal".to_owned()))
            }
            "idle_prompt" if turn.has_background() => (Idle, turn.rest()),
            "idle_prompt" => (Idle, "Waits for a prompt".to_owned()),
            _ => return None,
        },
        "Stop" => (Idle, turn.rest()),
        "StopFailure" => {
            let error =
                event.error.as_ref().map(|error| error.as_str().map_or_else(|| error.to_string(), str::to_owned));
            (Failed, error.unwrap_or_else(|| "Its turn failed".to_owned()))
        }
        "SessionEnd" => {
            let why = event.reason.as_deref().map(|reason| format!(": {}", reason.replace('_', " ")));
            (Done, format!("Ended{}", why.unwrap_or_default()))
        }
        _ => return None,
    };
    Some(Live { state, reason: one_line(&reason, REASON), at })
}
