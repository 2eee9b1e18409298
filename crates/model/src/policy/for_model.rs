//! Decides what a model can read by any path: prompts, search, history, exports and results of tools.

use crate::{Context, Draft, Role, Status};

/// Returns true if a prompt, a memory or an export for a model can contain a message: not one of the host, and not a
/// retracted one.
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

/// Returns true if a model can find a message later. A notice of a run is only given in that run.
pub fn model_may_find(draft: &Draft) -> bool {
    may_reach_model(draft) && model_may_read(draft)
}

/// Returns true if a model that reads a session can read a message's content. A retracted one is marked by its status.
pub fn model_may_read(draft: &Draft) -> bool {
    draft.role != Role::Host && draft.context != Context::Ephemeral
}

/// Returns true if a prompt that Verbatim builds contains a message, among those of this context.
pub fn prompt_holds(draft: &Draft, context: Context) -> bool {
    may_reach_model(draft) && draft.context == context && !draft.left_behind
}
