//! What moves in the browser. Islands are small: they hold no message and draw almost nothing; the server draws, they fetch,
//! place, follow and listen. They share what they know through [`page_state`], never by context, which leaks to later
//! siblings. HTML enters the page through `fragment` alone.
//!
//! Nothing here may panic: in the browser one panic ends the app.

pub mod composer;
pub mod dev_toggle;
pub mod filters;
pub mod folders;
pub mod keys;
pub mod live;
pub mod page_state;
pub mod panel;
pub mod review;
pub mod settings;
pub mod sorted;
pub mod times;
pub mod transcript;
pub mod window;

#[cfg(feature = "hydrate")]
mod actions;
#[cfg(feature = "hydrate")]
mod column;
#[cfg(feature = "hydrate")]
mod decisions;
#[cfg(feature = "hydrate")]
mod deeds;
#[cfg(feature = "hydrate")]
mod device;
#[cfg(feature = "hydrate")]
mod dom;
#[cfg(feature = "hydrate")]
mod focus;
#[cfg(feature = "hydrate")]
mod fragment;
#[cfg(feature = "hydrate")]
mod manage;
#[cfg(feature = "hydrate")]
mod menus;
#[cfg(feature = "hydrate")]
mod merge;
#[cfg(feature = "hydrate")]
mod palette;
#[cfg(feature = "hydrate")]
mod peek;
#[cfg(feature = "hydrate")]
mod position;
#[cfg(feature = "hydrate")]
mod slip;
#[cfg(feature = "hydrate")]
mod toast;
#[cfg(feature = "hydrate")]
mod unsent;
#[cfg(feature = "hydrate")]
mod viewer;
