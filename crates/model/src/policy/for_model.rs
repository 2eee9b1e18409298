//! What a model may be given, whatever the path: a prompt, a search, a history, an export, a tool's result.

use crate::{Context, Draft, Role, Status};

/// Returns whether a prompt, a memory or an export for a model may hold a message: never one of the host, never one that was retracted.
///
/// ```
/// use model::policy::may_reach_model;
/// use model::{Draft, MessageId, Micros, Role};
///
/// let id = MessageId::parse("1").expect("an id");
/// assert!(!may_reach_model(&Draft::text(id, Role::Host, "host", "The disk is nearly full", Micros(0))));
/// ```
pub fn may_reach_model(draft: &Draft) -> bool {
    draft.role != Role::Host && draft.status != Status::Retracted
}

/// Returns whether a model may find a message after it was said. A notice of one run is given in that run and never again.
pub fn model_may_find(draft: &Draft) -> bool {
    may_reach_model(draft) && model_may_read(draft)
}

/// Returns whether a model that reads a session may read what a message says, in its place. What was retracted says so by its status.
pub fn model_may_read(draft: &Draft) -> bool {
    draft.role != Role::Host && draft.context != Context::Ephemeral
}

/// Returns whether a prompt that we build holds a message among those of this context.
pub fn prompt_holds(draft: &Draft, context: Context) -> bool {
    may_reach_model(draft) && draft.context == context && !draft.left_behind
}
