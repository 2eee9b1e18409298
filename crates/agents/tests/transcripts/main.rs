//! Transcripts through the front door.

mod answers;
mod asks;
mod beside;
mod codex;
mod lines;
mod previews;
mod queue;
mod readers;
mod reading;
mod recognising;
mod repeated;
mod results;
mod reviews;
mod rewinds;
mod shapes;
mod shells;
mod speakers;
mod support;
mod titles;
mod variants;
