//! Islands: parts of a page that hold state in signals and draw it with `view!`. The server draws them first, and their
//! browser half is behind the feature `hydrate`. Modules that place what the server drew are in `frontend`.

pub mod agent_bar;
pub mod composer;
pub mod new_session;
pub mod schedules;
