//! `verbatim tail`: messages as they come.

use super::print;
use super::text::one_line;
use crate::cli::Tail;
use crate::door;
use anyhow::Result;
use api::events::{FeedEvent, FeedKind};
use api::messages::Entry;
use futures::StreamExt as _;
use model::{Micros, Status};
use sdk::{ListMessages, Verbatim};

/// Widest range of one request.
const SPAN: i64 = 500;

pub async fn run(args: Tail) -> Result<()> {
    let verbatim = door::running(&args.data, &args.remote).await?;
    let mut events = match &args.session {
        Some(name) => {
            // A prefix that is unique now may not stay so.
            let id = verbatim.session(name).info().await?.id;
            let session = verbatim.session(id.as_str());
            // The page and the cursor are of one moment: between the two nothing is lost, nothing comes twice.
            let page = session.messages(ListMessages { limit: Some(args.lines.max(1)), ..query(&args) }).await?;
            let beginning = page.messages.len().saturating_sub(args.lines as usize);
            page.messages[beginning..].iter().try_for_each(|entry| show(&args, entry))?;
            session.watch(Some(page.cursor))
        }
        None => verbatim.watch(None, None),
    };
    while let Some(event) = events.next().await {
        let change = match event {
            Ok(event) => event.change,
            Err(error) if error.problem().is_some_and(|problem| problem.code == "cursor_gone") => {
                eprintln!("The server's database was put back to an earlier state: going on from now");
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        if change.kind != FeedKind::Session {
            tell(&verbatim, &args, &change).await?;
        }
    }
    Ok(())
}

/// Everything as JSON; for people what the dashboard shows.
fn query(args: &Tail) -> ListMessages {
    ListMessages { dev: args.json.then_some(1), ..ListMessages::default() }
}

async fn tell(verbatim: &Verbatim, args: &Tail, change: &FeedEvent) -> Result<()> {
    let session = verbatim.session(&change.session);
    let mut from = change.from_seq;
    while from <= change.to_seq {
        let to = change.to_seq.min(from + SPAN - 1);
        let page = session.messages(ListMessages { from: Some(from), to: Some(to), ..query(args) }).await;
        let page = match page {
            // It was deleted since.
            Err(sdk::Error::NotFound(_)) => return Ok(()),
            page => page?,
        };
        for entry in &page.messages {
            // Changed again since: that change is told by itself.
            if change.kind == FeedKind::Range || entry.message.revision == change.revision {
                show(args, entry)?;
            }
        }
        from = to + 1;
    }
    Ok(())
}

fn show(args: &Tail, entry: &Entry) -> Result<()> {
    let message = &entry.message;
    let draft = &message.draft;
    if args.json {
        return print(&format!("{}\n", serde_json::to_string(entry)?));
    }
    // What is still being written is shown when it is complete.
    if draft.status == Status::Streaming {
        return Ok(());
    }
    let session = if args.session.is_some() { String::new() } else { format!("{}  ", message.session_id) };
    let said = match draft.status {
        Status::Retracted => "(taken back)".to_owned(),
        _ => one_line(&entry.summary),
    };
    print(&format!("{}  {session}{:9}  {said}\n", second(message.received_at), draft.role.as_str()))
}

/// `14:02:31`, in local time.
fn second(at: Micros) -> String {
    jiff::Timestamp::from_microsecond(at.0)
        .map(|t| t.to_zoned(jiff::tz::TimeZone::system()).strftime("%H:%M:%S").to_string())
        .unwrap_or_default()
}
