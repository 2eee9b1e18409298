//! Requests to people: the first one of each session, or all open approvals and questions.

use crate::basics::query::limit;
use crate::basics::{clock, problem};
use crate::context::Scoped;
use crate::requests::shown::Room;
use crate::requests::shown::shown;
use crate::writing::entries::entry;
use api::Problem;
use api::keys::Scope;
use api::messages::{Ask, Asks, AsksQuery, LATELY, NotShownReason};
use model::{Session, SessionId};
use std::collections::HashMap;
use store::OpenAsk;

/// Sessions whose questions are listed at once.
const SESSIONS: u32 = 100;
/// Bytes of each ask, beside those that a decision covers.
const ASK_BYTES: usize = 16 * 1024;
/// Open approvals and questions that are counted.
const MOST: u32 = 1_000;

pub async fn list_asks(scoped: &Scoped, input: AsksQuery) -> Result<Asks, Problem> {
    scoped.caller.require(Scope::Read)?;
    let limit = limit(input.limit, 20, 200)? as usize;
    let after = input.after.as_deref().map(read_cursor).transpose()?;
    match input.each {
        Some(1) => each(scoped, limit, after).await,
        None | Some(0) => first_of_sessions(scoped).await,
        Some(_) => Err(Problem::field("each", "0 or 1")),
    }
}

/// Returns the first open approval of each session, otherwise its question.
async fn first_of_sessions(scoped: &Scoped) -> Result<Asks, Problem> {
    let mut asks = Vec::new();
    let workspace = &scoped.hub.workspace;
    let mut waiting = workspace.asks(&scoped.caller.sight(), SESSIONS).await.map_err(problem)?;
    let open = workspace.approvals_open(&waiting.sessions().map_err(problem)?).await.map_err(problem)?;
    let mut room = Room::default();
    while !waiting.is_empty() {
        // Each may be as long as messages are.
        for stored in workspace.read_next(&mut waiting, 0).await.map_err(problem)? {
            let open = open.get(stored.message.session_id.as_str()).copied().unwrap_or_default();
            let mut ask = scoped.readable(entry(stored));
            shown(scoped, &mut ask, &mut room).await?;
            ask.shorten(ASK_BYTES);
            asks.push(Ask { entry: ask, others: (open - 1).max(0), session: None });
        }
    }
    Ok(Asks { asks, total: None, next: None })
}

/// A page of all that is open. It ends early where what its approvals cover would be too much for one reply.
async fn each(scoped: &Scoped, limit: usize, after: Option<InboxPosition>) -> Result<Asks, Problem> {
    let open = open(scoped).await?;
    let total = i64::try_from(open.len()).unwrap_or(i64::MAX);
    let rest: Vec<_> = open.into_iter().filter(|(place, _)| after.is_none_or(|after| *place > after)).collect();
    let page: Vec<OpenAsk> = rest.iter().take(limit).map(|(_, ask)| ask.clone()).collect();
    let workspace = &scoped.hub.workspace;
    let mut waiting = workspace.asked(&page).await.map_err(problem)?;
    let (mut asks, mut room) = (Vec::new(), Room::default());
    let mut sessions: HashMap<SessionId, Option<Session>> = HashMap::new();
    let mut is_full = false;
    while !waiting.is_empty() && !is_full {
        for stored in workspace.read_next(&mut waiting, 0).await.map_err(problem)? {
            let id = stored.message.session_id.clone();
            let mut ask = scoped.readable(entry(stored));
            shown(scoped, &mut ask, &mut room).await?;
            let is_left_out = ask.not_shown.as_ref().is_some_and(|it| it.reason == NotShownReason::LeftOut);
            if is_left_out && !asks.is_empty() {
                is_full = true;
                break;
            }
            ask.shorten(ASK_BYTES);
            let session = if let Some(session) = sessions.get(&id) {
                session.clone()
            } else {
                let session = workspace.session(&id, clock::now()).await.map_err(problem)?;
                sessions.insert(id, session.clone());
                session
            };
            asks.push(Ask { entry: ask, others: 0, session });
        }
    }
    let last = asks.last().map(|ask| (&ask.entry.message.session_id, ask.entry.message.seq));
    let last = rest.iter().position(|(_, ask)| last == Some((&ask.session, ask.seq)));
    let next = last.filter(|last| last + 1 < rest.len()).and_then(|last| Some(write_cursor(rest.get(last)?.0)));
    Ok(Asks { asks, total: Some(total), next })
}

/// Where an ask stands in the list: those of sessions that were active lately come first, the longest waiting first;
/// then the others, the latest first. So what comes new has its place behind what is read already.
type InboxPosition = (bool, i64);

/// Every open ask, in the order of the list.
async fn open(scoped: &Scoped) -> Result<Vec<(InboxPosition, OpenAsk)>, Problem> {
    let open = scoped.hub.workspace.open_asks(&scoped.caller.sight(), 0, MOST).await.map_err(problem)?;
    let now = clock::now();
    let place = |ask: &OpenAsk| {
        let is_old = now.since(ask.last_at) > LATELY;
        (is_old, if is_old { -ask.rid } else { ask.rid })
    };
    let mut open: Vec<_> = open.into_iter().map(|ask| (place(&ask), ask)).collect();
    open.sort_unstable_by_key(|(place, _)| *place);
    Ok(open)
}

fn write_cursor((is_old, number): InboxPosition) -> String {
    format!("{}.{number}", u8::from(is_old))
}

fn read_cursor(cursor: &str) -> Result<InboxPosition, Problem> {
    let place = || {
        let (is_old, number) = cursor.split_once('.')?;
        Some((is_old == "1", number.parse().ok()?))
    };
    place().ok_or_else(|| Problem::field("after", "`next` of an earlier reply"))
}

impl Scoped {
    /// Where something waits for a person: session and `seq` of every open approval and question, in the order of the
    /// list, 1,000 at most.
    ///
    /// # Errors
    ///
    /// Those of the database, and 403 for a key that may not read.
    pub async fn open_asks(&self) -> Result<Vec<(SessionId, i64)>, Problem> {
        self.caller.require(Scope::Read)?;
        Ok(open(self).await?.into_iter().map(|(_, ask)| (ask.session, ask.seq)).collect())
    }
}
