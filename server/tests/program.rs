//! The program as a person, a browser and a stranger meet it: run, over a real socket, on a folder of its own.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "program/access.rs"]
mod access;
#[path = "program/acme.rs"]
mod acme;
#[path = "program/archive.rs"]
mod archive;
#[path = "program/attached.rs"]
mod attached;
#[path = "program/audit.rs"]
mod audit;
#[path = "program/backups.rs"]
mod backups;
#[path = "program/blobs.rs"]
mod blobs;
#[path = "program/bounds.rs"]
mod bounds;
#[path = "program/channels.rs"]
mod channels;
#[path = "program/chunks.rs"]
mod chunks;
#[path = "program/codex_double.rs"]
mod codex_double;
#[path = "program/commands.rs"]
mod commands;
#[path = "program/commands_that_fail.rs"]
mod commands_that_fail;
#[path = "program/compat.rs"]
mod compat;
#[path = "program/config.rs"]
mod config;
#[path = "program/context.rs"]
mod context;
#[path = "program/damage.rs"]
mod damage;
#[path = "program/docs.rs"]
mod docs;
#[path = "program/driven.rs"]
mod driven;
#[path = "program/erasing.rs"]
mod erasing;
#[path = "program/export.rs"]
mod export;
#[path = "program/files.rs"]
mod files;
#[path = "program/for_models.rs"]
mod for_models;
#[path = "program/forward.rs"]
mod forward;
#[path = "program/found_agents.rs"]
mod found_agents;
#[path = "program/growing.rs"]
mod growing;
#[path = "program/headers.rs"]
mod headers;
#[path = "program/hooking.rs"]
mod hooking;
#[path = "program/json.rs"]
mod json;
#[path = "program/lifecycle.rs"]
mod lifecycle;
#[path = "program/limits.rs"]
mod limits;
#[path = "program/login.rs"]
mod login;
#[path = "program/login_methods.rs"]
mod login_methods;
#[path = "program/mcp.rs"]
mod mcp;
#[path = "program/mcp_http.rs"]
mod mcp_http;
#[path = "program/memory.rs"]
mod memory;
#[path = "program/nul.rs"]
mod nul;
#[path = "program/operated.rs"]
mod operated;
#[path = "program/origins.rs"]
mod origins;
#[path = "program/patience.rs"]
mod patience;
#[path = "program/people.rs"]
mod people;
#[path = "program/proxy.rs"]
mod proxy;
#[path = "program/push.rs"]
mod push;
#[path = "program/reach.rs"]
mod reach;
#[path = "program/reference.rs"]
mod reference;
#[path = "program/reports.rs"]
mod reports;
#[path = "program/runs.rs"]
mod runs;
#[path = "program/schedule.rs"]
mod schedule;
#[path = "program/sdk_asking.rs"]
mod sdk_asking;
#[path = "program/sdk_posting.rs"]
mod sdk_posting;
#[path = "program/servers.rs"]
mod servers;
#[path = "program/service.rs"]
mod service;
#[path = "program/shares.rs"]
mod shares;
#[path = "program/shell.rs"]
mod shell;
#[path = "program/support.rs"]
mod support;
#[path = "program/tail.rs"]
mod tail;
#[path = "program/take_over.rs"]
mod take_over;
#[path = "program/terminals.rs"]
mod terminals;
#[path = "program/tui_screens.rs"]
mod tui_screens;
#[path = "program/updates.rs"]
mod updates;
#[path = "program/voices.rs"]
mod voices;
#[path = "program/waiting.rs"]
mod waiting;
