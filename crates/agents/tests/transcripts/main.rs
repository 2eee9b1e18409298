//! Transcripts through the front door.

mod lines;
mod previews;
mod reading;
mod results;
mod support;
