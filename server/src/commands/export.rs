//! `verbatim export`: a session as it was imported, byte for byte, or written out; with secrets masked if asked for.

mod all;

use super::text::one_line;
use super::{note, print, print_bytes, print_encoded, print_json};
use crate::cli::{Export, ExportFormat};
use crate::door::Door;
use agents::chat_host::{CHAT_HOST, is_head, to_row};
use anyhow::{Context as _, Result, bail};
use api::contract::ExportSession;
use api::messages::Entry;
use api::redaction::{RedactionQuery, RedactionReport};
use api::sessions::{SessionDetail, SessionPath};
use api::{Nothing, Route as _};
use serde::Deserialize;
use std::fmt::Write as _;
use std::path::Path;
use store::chat_host::ChatHostWriter;

pub async fn run(args: Export) -> Result<()> {
    let door = Door::find(&args.data).await?;
    let written = match (&args.session, args.format, &args.output) {
        (Some(session), ..) => write(&door, &args, session).await,
        (None, Some(format), Some(folder)) => all::all(&door, &args, format, folder).await,
        (None, ..) => Err(anyhow::anyhow!("`--all` needs `--format` and the folder `--output`")),
    };
    door.close().await;
    written
}

/// Returns the further options of the request, after the format.
fn query(args: &Export) -> String {
    let mut query = args.only.filter().api_query();
    if args.redact {
        query.push_str("&redact=1");
        query.extend(args.mask.iter().map(|mask| format!("&mask={}", api::endpoint::segment(mask))));
    }
    query
}

fn address(session: &str, format: ExportFormat, query: &str) -> String {
    format!("{}?format={}{query}", ExportSession.path([session]), format.word())
}

/// Returns the masked places of a session, and of the sub-agents that its format includes.
async fn redaction(door: &Door, args: &Export, session: &str) -> Result<RedactionReport> {
    let children = args.format.is_some_and(ExportFormat::has_children).then_some(1);
    let asked = RedactionQuery { masks: args.mask.clone(), children };
    Ok(door.client.preview_redaction(SessionPath { session: session.to_owned() }, asked).await?)
}

async fn write(door: &Door, args: &Export, session: &str) -> Result<()> {
    if args.redact {
        let report = redaction(door, args, session).await?;
        if args.preview {
            return if args.json { print_json(&report) } else { print(&told(&report)) };
        }
        note(told(&report).trim_end());
    }
    let format = args.format.context("`--format` is missing")?;
    let is_database = format == ExportFormat::MessagesDb;
    if is_database && args.output.is_none() {
        bail!("`--format messages-db` writes a file: name it with `--output`");
    }
    let bytes = door.client.get_bytes(&address(session, format, &query(args))).await?;
    if format == ExportFormat::Original {
        let erased = door.client.get_erased_bytes(SessionPath { session: session.to_owned() }, Nothing {}).await?;
        for file in erased.files {
            let ranges =
                file.ranges.iter().map(|range| format!("{} to {}", range.offset, range.offset + range.len - 1));
            let ranges = ranges.collect::<Vec<_>>().join(", ");
            note(&format!(
                "A text was erased from {}: its bytes {ranges} aren't those of the file",
                one_line(&file.path)
            ));
        }
    }
    if let Some(file) = args.output.as_ref().filter(|_| is_database) {
        return messages_db(&bytes, file).await;
    }
    if let Some(file) = &args.output {
        return std::fs::write(file, bytes).with_context(|| format!("{} can't be written", file.display()));
    }
    if matches!(format, ExportFormat::Markdown | ExportFormat::Html | ExportFormat::Original) {
        print_bytes(&bytes)
    } else {
        print_encoded(&String::from_utf8_lossy(&bytes))
    }
}

/// A session as the JSON export has it.
#[derive(Deserialize)]
struct Exported {
    session: SessionDetail,
    messages: Vec<Entry>,
}

/// Writes a session as a database of the older chat host, in which it is one chat.
async fn messages_db(json: &[u8], file: &Path) -> Result<()> {
    let exported: Exported = serde_json::from_slice(json)?;
    let session = exported.session.session;
    let jid = session.agent_session_id.unwrap_or_else(|| session.id.to_string());
    let cannot = || format!("{} can't be written", file.display());
    let mut writer = ChatHostWriter::create(file).await.with_context(cannot)?;
    for entry in exported.messages {
        if session.agent == CHAT_HOST && is_head(&entry.message.draft) {
            continue;
        }
        let row = serde_json::to_value(to_row(&entry.message.draft))?;
        writer.add(&jid, row.as_object().context("a row is an object")?).await.with_context(cannot)?;
    }
    writer.finish().await.with_context(cannot)
}

/// `17 places masked in 240 messages`, and a line for each rule with its first places.
fn told(report: &RedactionReport) -> String {
    let mut text = format!("{} places masked in {} messages\n", report.places, report.messages);
    for rule in &report.rules {
        let _ = writeln!(text, "{:>6}  {} ({})", rule.places, rule.title, rule.rule);
        for place in &rule.examples {
            let at = place.seq.map_or_else(|| "session".to_owned(), |seq| format!("message {seq}"));
            let _ = writeln!(text, "        {at}: {}", one_line(&place.text));
        }
    }
    if report.files_left_out > 0 {
        let _ = writeln!(text, "{} uploaded files are left out, because rules can't check them", report.files_left_out);
    }
    text
}
