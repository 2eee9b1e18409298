//! Transcripts through the front door.

mod answers;
mod asks;
mod background;
mod beside;
mod changes;
mod codex;
mod codex_children;
mod lines;
mod previews;
mod queue;
mod readers;
mod reading;
mod recognising;
mod repeated;
mod replays;
mod results;
mod reviews;
mod rewinds;
mod shapes;
mod shells;
mod speakers;
mod support;
mod titles;
mod variants;
