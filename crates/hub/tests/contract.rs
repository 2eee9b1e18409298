//! The hub through its front door: the API's routes in process, whole answers.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "contract/answering.rs"]
mod answering;
#[path = "contract/asks.rs"]
mod asks;
#[path = "contract/bad_input.rs"]
mod bad_input;
#[path = "contract/blobs.rs"]
mod blobs;
#[path = "contract/bridging.rs"]
mod bridging;
#[path = "contract/broken_store.rs"]
mod broken_store;
#[path = "contract/changed_files.rs"]
mod changed_files;
#[path = "contract/channel_answers.rs"]
mod channel_answers;
#[path = "contract/channel_matrix.rs"]
mod channel_matrix;
#[path = "contract/channel_repeats.rs"]
mod channel_repeats;
#[path = "contract/channel_side.rs"]
mod channel_side;
#[path = "contract/channels.rs"]
mod channels;
#[path = "contract/computing.rs"]
mod computing;
#[path = "contract/context.rs"]
mod context;
#[path = "contract/counted.rs"]
mod counted;
#[path = "contract/databases.rs"]
mod databases;
#[path = "contract/deciding.rs"]
mod deciding;
#[path = "contract/derived.rs"]
mod derived;
#[path = "contract/driven_context.rs"]
mod driven_context;
#[path = "contract/driving.rs"]
mod driving;
#[path = "contract/driving_requests.rs"]
mod driving_requests;
#[path = "contract/driving_turns.rs"]
mod driving_turns;
#[path = "contract/example.rs"]
mod example;
#[path = "contract/feed.rs"]
mod feed;
#[path = "contract/files.rs"]
mod files;
#[path = "contract/flat.rs"]
mod flat;
#[path = "contract/folders.rs"]
mod folders;
#[path = "contract/following.rs"]
mod following;
#[path = "contract/growth.rs"]
mod growth;
#[path = "contract/hook_keys.rs"]
mod hook_keys;
#[path = "contract/hook_turns.rs"]
mod hook_turns;
#[path = "contract/hook_words.rs"]
mod hook_words;
#[path = "contract/hooks.rs"]
mod hooks;
#[path = "contract/imports.rs"]
mod imports;
#[path = "contract/inspector.rs"]
mod inspector;
#[path = "contract/keys.rs"]
mod keys;
#[path = "contract/lasting.rs"]
mod lasting;
#[path = "contract/limits.rs"]
mod limits;
#[path = "contract/live.rs"]
mod live;
#[path = "contract/live_input.rs"]
mod live_input;
#[path = "contract/managing.rs"]
mod managing;
#[path = "contract/memory.rs"]
mod memory;
#[path = "contract/messages.rs"]
mod messages;
#[path = "contract/migrating.rs"]
mod migrating;
#[path = "contract/notices.rs"]
mod notices;
#[path = "contract/one_agent.rs"]
mod one_agent;
#[path = "contract/outline.rs"]
mod outline;
#[path = "contract/overload.rs"]
mod overload;
#[path = "contract/packed.rs"]
mod packed;
#[path = "contract/paging.rs"]
mod paging;
#[path = "contract/projects.rs"]
mod projects;
#[path = "contract/quotas.rs"]
mod quotas;
#[path = "contract/reach.rs"]
mod reach;
#[path = "contract/retention.rs"]
mod retention;
#[path = "contract/reviewing.rs"]
mod reviewing;
#[path = "contract/rewinds.rs"]
mod rewinds;
#[path = "contract/routing.rs"]
mod routing;
#[path = "contract/runs.rs"]
mod runs;
#[path = "contract/schedules.rs"]
mod schedules;
#[path = "contract/search.rs"]
mod search;
#[path = "contract/sessions.rs"]
mod sessions;
#[path = "contract/spending.rs"]
mod spending;
#[path = "contract/stats.rs"]
mod stats;
#[path = "contract/support.rs"]
mod support;
#[path = "contract/transcripts.rs"]
mod transcripts;
#[path = "contract/type_settings.rs"]
mod type_settings;
#[path = "contract/types.rs"]
mod types;
#[path = "contract/withdrawing.rs"]
mod withdrawing;
#[path = "contract/working.rs"]
mod working;
