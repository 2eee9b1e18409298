//! `verbatim tail`: messages as they come.

use super::hidden::{Row, Run, rows};
use super::print;
use super::text::one_line;
use crate::cli::Tail;
use crate::door;
use crate::speaker;
use anyhow::Result;
use api::Nothing;
use api::events::{FeedEvent, FeedKind};
use api::messages::{Entry, MessagePage};
use futures::StreamExt as _;
use model::{Micros, Status};
use sdk::{ListMessages, Verbatim};
use std::collections::HashSet;

/// Widest range of one request.
const SPAN: i64 = 500;

pub async fn run(args: Tail) -> Result<()> {
    let verbatim = door::running(&args.data, &args.remote).await?;
    let mut counted = Counted::default();
    let mut events = if let Some(name) = &args.session {
        // A prefix that is unique now may not stay so.
        let id = verbatim.session(name).info().await?.id;
        let session = verbatim.session(id.as_str());
        // The page and the cursor are of one moment: between the two nothing is lost, nothing comes twice.
        let page = session.messages(ListMessages { limit: Some(args.lines.max(1)), ..query(&args) }).await?;
        let last = page.messages.iter().rev().nth(args.lines as usize).map_or(0, |entry| entry.message.seq);
        let after = if args.lines == 0 { page.last_seq } else { last };
        counted.show(&args, (id.as_str(), &page), after, |_| true)?;
        session.watch(Some(page.cursor))
    } else {
        // A stream waits for its server for ever: one that isn't there is told at once.
        verbatim.client().me(Nothing {}, Nothing {}).await?;
        verbatim.watch(None, None)
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
            tell(&verbatim, &args, &mut counted, &change).await?;
        }
    }
    Ok(())
}

/// Everything as JSON; for people what the dashboard shows.
fn query(args: &Tail) -> ListMessages {
    let (types, roles) = (args.only.types.clone(), args.only.roles.clone());
    ListMessages { types, roles, dev: (args.json || args.dev).then_some(1), ..ListMessages::default() }
}

async fn tell(verbatim: &Verbatim, args: &Tail, counted: &mut Counted, change: &FeedEvent) -> Result<()> {
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
        // Changed again since: that change is told by itself.
        let is_meant = |entry: &Entry| change.kind == FeedKind::Range || entry.message.revision == change.revision;
        counted.show(args, (&change.session, &page), from - 1, is_meant)?;
        // A page of long messages ends before `to`.
        from = if page.to < from { to } else { page.to } + 1;
    }
    Ok(())
}

/// Hidden messages that were counted, by session and `seq`: each is counted once, however often it changes.
#[derive(Default)]
struct Counted(HashSet<(String, i64)>);

impl Counted {
    /// Prints the messages of a page after `seq` that `is_meant` takes, and counts what is hidden between them.
    fn show(
        &mut self,
        args: &Tail,
        (session, page): (&str, &MessagePage),
        after: i64,
        is_meant: impl Fn(&Entry) -> bool,
    ) -> Result<()> {
        let indent = if args.session.is_some() { String::new() } else { format!("{session}  ") };
        let count = |run: &mut Run| run.take().map_or(Ok(()), |line| print(&format!("{:8}  {indent}{line}\n", "")));
        let mut hidden = Run::default();
        for row in rows(page) {
            match row {
                Row::Hidden(row) if row.seq > after && self.0.insert((session.to_owned(), row.seq)) => {
                    hidden.push(row);
                }
                Row::Message(entry) if entry.message.seq > after && is_meant(entry) => {
                    count(&mut hidden)?;
                    show(args, entry)?;
                }
                _ => {}
            }
        }
        count(&mut hidden)
    }
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
    let mark = speaker::mark(draft);
    print(&format!("{}  {session}{:9}  {mark}{said}\n", second(message.received_at), draft.role.as_str()))
}

/// `14:02:31`, in local time.
fn second(at: Micros) -> String {
    jiff::Timestamp::from_microsecond(at.0)
        .map(|t| t.to_zoned(jiff::tz::TimeZone::system()).strftime("%H:%M:%S").to_string())
        .unwrap_or_default()
}
