//! `verbatim tail`: messages as they come.

use super::hidden::{Row, Run, rows};
use super::text::one_line;
use super::{note, print, print_json};
use crate::cli::Tail;
use crate::door;
use anyhow::Result;
use api::Nothing;
use api::ProblemCode;
use api::events::{FeedEvent, FeedKind};
use api::messages::{Entry, MessagePage};
use api::sessions::ListSessions;
use futures::StreamExt as _;
use futures::stream::select_all;
use model::policy::mark;
use model::{Micros, SessionId, Status};
use sdk::{Event, ListMessages, Verbatim};
use std::collections::{HashMap, HashSet};

/// Widest range of one request.
const SPAN: i64 = 500;

pub async fn run(args: Tail) -> Result<()> {
    let verbatim = door::running(&args.data, &args.remote).await?;
    let following = follow(&verbatim, &args);
    tokio::select! {
        followed = following => followed,
        // Else a reader that goes away is noticed with the next message only, which may never come.
        () = reader_gone() => Ok(()),
    }
}

async fn follow(verbatim: &Verbatim, args: &Tail) -> Result<()> {
    let mut told = Told::default();
    let mut streams = Vec::new();
    let mut ids: Vec<SessionId> = Vec::new();
    for name in &args.sessions {
        // A prefix that is unique now may not stay so.
        let id = verbatim.session(name).info().await?.id;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    for id in &ids {
        let cursor = begin(verbatim, args, &mut told, id.as_str()).await?;
        streams.push(verbatim.session(id.as_str()).watch(Some(cursor)));
    }
    if args.sessions.is_empty() {
        // A stream waits for its server for ever: one that isn't there is told at once.
        verbatim.client().me(Nothing {}, Nothing {}).await?;
        let cursor = match &args.since {
            Some(since) => Some(begin_all(verbatim, args, &mut told, since).await?),
            None => None,
        };
        streams.push(verbatim.watch(None, cursor));
    }
    let mut events = select_all(streams);
    while let Some(event) = events.next().await {
        match event {
            Ok(Event { change, .. }) if change.kind == FeedKind::Session => {}
            Ok(Event { change, .. }) => tell(verbatim, args, &mut told, &change).await?,
            Err(error) if error.problem().is_some_and(|problem| problem.is(ProblemCode::CursorGone)) => {
                note("The server's database was restored to an earlier state; continuing from now");
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Prints what a session begins with, and returns the cursor to go on from.
async fn begin(verbatim: &Verbatim, args: &Tail, told: &mut Told, id: &str) -> Result<String> {
    let session = verbatim.session(id);
    let Some(since) = &args.since else {
        // The page and the cursor are of one moment: between the two nothing is lost, nothing comes twice.
        let page = session.messages(ListMessages { limit: Some(args.lines.max(1)), ..query(args) }).await?;
        let last = page.messages.iter().rev().nth(args.lines as usize).map_or(0, |entry| entry.message.seq);
        told.show(args, (id, &page), if args.lines == 0 { page.last_seq } else { last }, |_| true)?;
        return Ok(page.cursor);
    };
    let query = ListMessages { since: Some(since.clone()), limit: Some(SPAN as u32), ..query(args) };
    let mut page = session.messages(query.clone()).await?;
    // The cursor of the first page: changes while the other pages are read are printed afterwards, unless they were
    // included.
    let cursor = page.cursor.clone();
    loop {
        told.show(args, (id, &page), 0, |_| true)?;
        told.revisions.extend(page.messages.iter().map(|entry| (place(entry), entry.message.revision)));
        if page.to >= page.last_seq || page.to == 0 {
            return Ok(cursor);
        }
        page = session.messages(ListMessages { after: Some(page.to), ..query.clone() }).await?;
    }
}

/// Prints what was said since then in all sessions, one after the other; returns the cursor of the moment before.
async fn begin_all(verbatim: &Verbatim, args: &Tail, told: &mut Told, since: &str) -> Result<String> {
    let mut query = ListSessions { since: Some(since.to_owned()), limit: Some(SPAN as u32), ..ListSessions::default() };
    let mut cursor = None;
    let mut ids = Vec::new();
    loop {
        let page = verbatim.sessions(query.clone()).await?;
        cursor.get_or_insert(page.cursor);
        ids.extend(page.sessions.into_iter().map(|session| session.id));
        query.after = page.next;
        if query.after.is_none() {
            break;
        }
    }
    for id in ids.iter().rev() {
        begin(verbatim, args, told, id.as_str()).await?;
    }
    Ok(cursor.unwrap_or_default())
}

/// Ends when nobody reads standard output any more, where that is a pipe or a terminal.
async fn reader_gone() {
    #[cfg(unix)]
    {
        use rustix::event::{PollFd, PollFlags, poll};
        let (gone, told) = tokio::sync::oneshot::channel();
        // A thread of its own: nothing waits for it when the command ends.
        std::thread::spawn(move || {
            let out = std::io::stdout();
            // Errors and the other side's end are always told, without being asked for.
            if poll(&mut [PollFd::new(&out, PollFlags::empty())], None).is_ok() {
                let _ = gone.send(());
            }
        });
        if told.await.is_ok() {
            return;
        }
    }
    std::future::pending::<()>().await;
}

fn place(entry: &Entry) -> (String, i64) {
    (entry.message.session_id.to_string(), entry.message.seq)
}

/// Everything as JSON; for people what the dashboard shows.
fn query(args: &Tail) -> ListMessages {
    let (types, roles) = (args.only.types.clone(), args.only.roles.clone());
    ListMessages { types, roles, dev: (args.json || args.dev).then_some(1), ..ListMessages::default() }
}

async fn tell(verbatim: &Verbatim, args: &Tail, told: &mut Told, change: &FeedEvent) -> Result<()> {
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
        told.show(args, (&change.session, &page), from - 1, is_meant)?;
        // A page of long messages ends before `to`.
        from = if page.to < from { to } else { page.to } + 1;
    }
    Ok(())
}

/// Messages that were printed.
#[derive(Default)]
struct Told {
    /// Hidden messages, by session and `seq`: each is counted once, however often it changes.
    counted: HashSet<(String, i64)>,
    /// Revisions of what the beginning had in several pages.
    revisions: HashMap<(String, i64), i32>,
}

impl Told {
    /// Prints the messages of a page after `seq` that `is_meant` takes, and counts what is hidden between them.
    fn show(
        &mut self,
        args: &Tail,
        (session, page): (&str, &MessagePage),
        after: i64,
        is_meant: impl Fn(&Entry) -> bool,
    ) -> Result<()> {
        let indent = if args.sessions.len() == 1 { String::new() } else { format!("{session}  ") };
        let count = |run: &mut Run| {
            run.take().map_or(Ok(()), |line| print(&format!("{:8}  {indent}{}\n", "", one_line(&line))))
        };
        let mut hidden = Run::default();
        for row in rows(page) {
            match row {
                Row::Hidden(row) if row.seq > after && self.counted.insert((session.to_owned(), row.seq)) => {
                    hidden.push(row);
                }
                Row::Message(entry) if entry.message.seq > after && is_meant(entry) && !self.has(entry) => {
                    count(&mut hidden)?;
                    show(args, entry)?;
                }
                _ => {}
            }
        }
        count(&mut hidden)
    }

    /// Returns true if it was already printed unchanged at the start.
    fn has(&self, entry: &Entry) -> bool {
        self.revisions.get(&place(entry)).is_some_and(|revision| *revision >= entry.message.revision)
    }
}

fn show(args: &Tail, entry: &Entry) -> Result<()> {
    let message = &entry.message;
    let draft = &message.draft;
    if args.json {
        return print_json(entry);
    }
    // A streaming message is printed when it is complete.
    if draft.status == Status::Streaming {
        return Ok(());
    }
    let session = if args.sessions.len() == 1 { String::new() } else { format!("{}  ", message.session_id) };
    let said = match draft.status {
        Status::Retracted => "(taken back)".to_owned(),
        _ => one_line(&entry.summary),
    };
    let mark = mark(draft);
    print(&format!("{}  {session}{:9}  {mark}{said}\n", moment(draft.created_at), draft.role.as_str()))
}

/// `14:02:31`, in local time; with its day before it, where that isn't today.
fn moment(at: Micros) -> String {
    let Ok(at) = jiff::Timestamp::from_microsecond(at.0) else { return String::new() };
    let at = at.to_zoned(jiff::tz::TimeZone::system());
    let format = if at.date() == jiff::Zoned::now().date() { "%H:%M:%S" } else { "%Y-%m-%d %H:%M:%S" };
    at.strftime(format).to_string()
}
