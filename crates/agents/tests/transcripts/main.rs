//! Transcripts through the front door.

mod previews;
mod reading;
mod support;
