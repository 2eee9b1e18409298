//! The interface. Pages and message components are rendered on the server (`ssr`); islands are drawn there too, and
//! live in the browser (`hydrate`). What moves server-rendered HTML in the browser is the crate `frontend`.
//!
//! A tour, top-down:
//! - [`pages`]: one file per page, rendered from data that the server loaded; [`shell`] surrounds them, [`page`] makes
//!   the document.
//! - [`islands`]: parts that draw from state of their own: the composer, the bar of an agent, the form of a new
//!   session, the palette, comments on lines.
//! - `browser`: the kit of the browser: elements, fragments, state of the page, focus, storage, toasts.
//! - [`shared`]: what server and browser share, and what the browser decides without its page: where the reader is,
//!   which chunks and rows are there, what was missed, found, chosen.
//! - [`icon`], [`session_field`], [`figures`], [`clock`], [`look`]: icons, the field that finds a session, numbers,
//!   times; theme, density and colours. [`names`], [`paths`], [`unmarked`]: what things are called, paths of files, and
//!   lines of markdown as words. [`request_figures`]: tokens, cost and times of a request. [`audit`]: the audit log in
//!   words.
//! - [`transcript`]: a part of a session; [`message_renderer`]: the registry of message types; [`message`]: the
//!   components; [`markdown`], [`ansi`], [`json_tree`], [`visible`], [`exact`], [`chart`]: what they show.
//! - [`fragments`]: what cards fetch when they are asked for.
//! - [`send`]: what forms and buttons send. [`render`], [`html`]: a view becomes a string.
//!
//! How to add a page: a file in `pages/` that takes one struct and gives the document, and a route in `server`.
//! How to add an island: a file in `islands/`; the browser's part of it behind `hydrate`. `#[island(lazy)]` where few
//! pages have it. What draws nothing is a module of `frontend`.

// The types of whole pages are deep.
#![recursion_limit = "512"]

pub mod figures;
pub mod icon;
pub mod islands;
pub mod look;
pub mod message_renderer;
pub mod names;
pub mod paths;
pub mod session_field;
pub mod shared;
pub mod time_text;
pub mod unmarked;

#[cfg(feature = "hydrate")]
pub mod browser;

#[cfg(feature = "ssr")]
pub mod ansi;
#[cfg(feature = "ssr")]
pub mod appended;
#[cfg(feature = "ssr")]
pub mod audit;
#[cfg(feature = "ssr")]
pub mod chart;
#[cfg(feature = "ssr")]
pub mod clock;
#[cfg(feature = "ssr")]
pub mod exact;
#[cfg(feature = "ssr")]
pub mod fragments;
#[cfg(feature = "ssr")]
pub mod html;
#[cfg(feature = "ssr")]
pub mod json_tree;
#[cfg(feature = "ssr")]
pub mod markdown;
#[cfg(feature = "ssr")]
pub mod message;
#[cfg(feature = "ssr")]
pub mod page;
#[cfg(feature = "ssr")]
pub mod pages;
#[cfg(feature = "ssr")]
pub mod part;
#[cfg(feature = "ssr")]
pub mod patch;
#[cfg(feature = "ssr")]
pub mod render;
#[cfg(feature = "ssr")]
pub mod request_figures;
#[cfg(feature = "ssr")]
pub mod send;
#[cfg(feature = "ssr")]
pub mod shell;
#[cfg(feature = "ssr")]
pub mod transcript;
#[cfg(feature = "ssr")]
pub mod visible;
