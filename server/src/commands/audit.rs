//! `verbatim audit`: the audit log, to read, or exactly as it is stored.

use super::text::one_line;
use super::{minute, print, print_encoded};
use crate::cli::Audit;
use crate::door::Door;
use anyhow::Result;
use api::audit::AuditQuery;
use api::contract::ExportAudit;
use api::{Client, Nothing, Route as _};
use app::audit::{what, who};
use model::audit::Entry;

/// Entries that are asked for at once.
const PAGE: u32 = 200;

pub async fn run(args: Audit) -> Result<()> {
    let door = Door::find(&args.data).await?;
    if args.json {
        let lines = door.client.get_bytes(ExportAudit::PATH).await;
        door.close().await;
        return print_encoded(&String::from_utf8_lossy(&lines?));
    }
    let entries = newest(&door.client, &args).await;
    door.close().await;
    let entries = entries?;
    if entries.is_empty() {
        return print("No entries\n");
    }
    print(&entries.iter().map(line).collect::<String>())
}

async fn newest(client: &Client, args: &Audit) -> Result<Vec<Entry>> {
    let mut entries = Vec::new();
    let mut after = None;
    loop {
        let left = args.lines.saturating_sub(u32::try_from(entries.len()).unwrap_or(u32::MAX));
        if left == 0 {
            return Ok(entries);
        }
        let query = AuditQuery { kinds: args.kind.clone(), after, limit: Some(left.min(PAGE)) };
        let page = client.list_audit(Nothing {}, query).await?;
        entries.extend(page.entries);
        after = page.next;
        if after.is_none() {
            return Ok(entries);
        }
    }
}

fn line(entry: &Entry) -> String {
    let words = format!("{}: {}", who(&entry.who), what(entry).words());
    format!("{}  {:>6}  {}\n", minute(entry.at), entry.number, one_line(&words))
}
