//! Paths of the pages, as links and commands name them. Those of one session are functions of [`super`].
//!
//! How to add one: its line here, and its route in `server`.

/// The list of sessions.
pub const SESSIONS: &str = "/sessions";
/// Open requests.
pub const INBOX: &str = "/inbox";
/// The form of a new session.
pub const NEW_SESSION: &str = "/new";
/// The search over all history.
pub const SEARCH: &str = "/search";
/// Files that agents changed.
pub const FILES: &str = "/files";
/// Figures of use and cost.
pub const STATISTICS: &str = "/stats";
/// The settings.
pub const SETTINGS: &str = "/settings";
/// Folders whose transcripts are read.
pub const FOLDERS: &str = "/folders";
/// Memories.
pub const MEMORY: &str = "/memory";
/// Prompts that are sent at their times.
pub const SCHEDULES: &str = "/schedules";
/// Every message type as it is drawn.
pub const GALLERY: &str = "/gallery";
/// The log-in.
pub const LOG_IN: &str = "/login";
/// Leads to the provider of single sign-on.
pub const SIGN_ON: &str = "/login/oidc";
