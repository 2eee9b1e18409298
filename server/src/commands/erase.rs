//! `verbatim erase`: erases a text, such as a password, from a session.

use super::text::{one_line, text};
use super::{print, print_json};
use crate::cli::Erase;
use crate::door::Door;
use anyhow::{Context as _, Result};
use api::redaction::EraseText;
use api::sessions::SessionPath;

pub async fn run(args: Erase) -> Result<()> {
    let erased =
        text(None)?.context("write the text to standard input: an argument would be in the shell's history")?;
    let door = Door::find(&args.data).await?;
    let input = EraseText { text: erased, preview: args.preview };
    let answer = door.client.erase_text(SessionPath { session: args.session.clone() }, input).await;
    door.close().await;
    let erasure = answer?;
    if args.json {
        return print_json(&erasure);
    }
    print(&format!("{}\n", erasure.summary))?;
    for session in &erasure.sessions {
        print(&format!("{:>6}  {}  {}\n", session.messages, session.id, one_line(&session.title)))?;
    }
    Ok(())
}
