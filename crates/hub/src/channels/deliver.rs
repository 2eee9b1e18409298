//! Sends what waits in one channel, in its order.

use crate::basics::clock;
use crate::basics::pause::{ASKED, pause};
use crate::channels::open_channels::{Open, OpenChannels, people};
use crate::channels::outgoing::{page, render};
use crate::channels::{Kept, LEASE, LOOK, load};
use crate::context::Hub;
use ::channels::{Failure, Place, Sending, Sent};
use model::{Micros, SessionId};
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;
use store::{ChannelRow, DeliveryChange, DeliveryKey, DueDelivery, Queueing, StoreError};

/// Messages that are begun together, where the other side drops repetitions: after a crash, so many may be sent again.
const TOGETHER: u32 = 32;
/// How long a batch is sent, before what became of it is stored.
const BATCH: Duration = Duration::from_secs(20);
/// Attempts for a message that others may pass: nobody sees that it waits.
const ATTEMPTS: i64 = 12;
/// The pause after a channel that can't be opened.
const CLOSED: i64 = 5 * 60 * Micros::SECOND;
/// Commits that come within this time are looked at together.
const GATHER: Duration = Duration::from_millis(20);

/// When there is something to do next.
enum Next {
    At(Micros),
    /// The channel is removed.
    Never,
}

/// Sends until the channel is removed.
pub async fn run(hub: &Hub, id: &str) {
    let mut news = hub.feed.deliveries();
    let mut changed = hub.state::<OpenChannels>().changed.subscribe();
    let mut kept = Kept::default();
    let mut jumps = clock::Jumps::default();
    // Longer waits come from times that were stored by a clock that was ahead.
    let mut too_far = Some(ASKED);
    loop {
        news.borrow_and_update();
        changed.borrow_and_update();
        // After the news is marked as read: news that comes later wakes the loop, which then looks at the clock again.
        if jumps.was_set_back() {
            too_far = Some(0);
        }
        if let Some(beyond) = too_far.take() {
            hurry(hub, id, beyond).await;
        }
        let next = match round(hub, id, &mut kept).await {
            Ok(Next::Never) => return,
            Ok(Next::At(at)) => at,
            Err(error) => {
                tracing::warn!(%error, channel = id, "what waits for a channel can't be read or settled");
                soon()
            }
        };
        tokio::select! {
            _ = news.changed() => tokio::time::sleep(GATHER).await,
            _ = changed.changed() => {}
            () = clock::until(next.min(soon())) => {}
        }
    }
}

/// Makes due what waits for more than `beyond` microseconds.
async fn hurry(hub: &Hub, id: &str, beyond: i64) {
    if let Err(error) = hub.workspace.hurry_deliveries(id, clock::now(), beyond).await {
        tracing::warn!(%error, channel = id, "what waits can't be made due after the clock was set back");
    }
}

fn soon() -> Micros {
    Micros(clock::now().0 + LOOK.as_micros() as i64)
}

/// Sends all that is due.
async fn round(hub: &Hub, id: &str, kept: &mut Kept) -> Result<Next, StoreError> {
    let Some(row) = load(hub, id).await? else { return Ok(Next::Never) };
    if row.paused_at.is_some() {
        return Ok(Next::At(clock::NEVER));
    }
    let now = clock::now();
    let open = match kept.open(hub, &row) {
        Ok(open) => open,
        Err(error) => {
            let Some(first) = first(hub, &row, Queueing::InOrder).await?.filter(|first| first.next_at <= now) else {
                return Ok(Next::At(Micros(now.0 + CLOSED)));
            };
            let next_at = Micros(now.0 + CLOSED);
            let failed = DeliveryChange::Failed { key: first.key, error: error.to_string(), next_at };
            settle(hub, &row, &[failed]).await?;
            return Ok(Next::At(next_at));
        }
    };
    let queueing = if open.kind.abilities.is_ordered { Queueing::InOrder } else { Queueing::AsDue };
    let mut sender = Sender { hub, row: &row, open, places: None, threads: HashMap::new() };
    let mut outcomes = Vec::new();
    loop {
        let due = due(hub, &row, open, queueing, &outcomes).await?;
        if due.is_empty() {
            if outcomes.is_empty() {
                break;
            }
            // A message may have changed while it was sent: then it is due again.
            if !settle(hub, &row, &std::mem::take(&mut outcomes)).await? {
                return Ok(Next::At(soon()));
            }
            continue;
        }
        // A person may bind a session to a room while a long round runs.
        sender.places = None;
        let begun = sender.begin(due, &mut outcomes).await?;
        if !settle(hub, &row, &std::mem::take(&mut outcomes)).await? {
            return Ok(Next::At(soon()));
        }
        let has_failed = sender.send(begun, queueing, &mut outcomes).await?;
        if has_failed && queueing == Queueing::InOrder {
            settle(hub, &row, &outcomes).await?;
            break;
        }
    }
    let first = first(hub, &row, queueing).await?;
    Ok(Next::At(first.map_or(clock::NEVER, |first| first.next_at)))
}

async fn settle(hub: &Hub, row: &ChannelRow, changes: &[DeliveryChange]) -> Result<bool, StoreError> {
    let now = clock::now();
    let lease = (hub.state::<OpenChannels>().lease.as_str(), Micros(now.0 + LEASE));
    hub.workspace.settle_deliveries(&row.id, lease, now, changes).await
}

async fn first(hub: &Hub, row: &ChannelRow, queueing: Queueing) -> Result<Option<DueDelivery>, StoreError> {
    Ok(hub.workspace.due_deliveries(&row.id, queueing, clock::now(), 1).await?.pop())
}

/// Returns the deliveries that are due and have no outcome.
async fn due(
    hub: &Hub,
    row: &ChannelRow,
    open: &Open,
    queueing: Queueing,
    outcomes: &[DeliveryChange],
) -> Result<Vec<DueDelivery>, StoreError> {
    let together = if open.kind.abilities.drops_repetitions { TOGETHER } else { 1 };
    let now = clock::now();
    let over: BTreeSet<DeliveryKey> = outcomes.iter().map(DeliveryChange::key).collect();
    let limit = together + u32::try_from(over.len()).unwrap_or(u32::MAX);
    let found = hub.workspace.due_deliveries(&row.id, queueing, now, limit).await?;
    let found = found.into_iter().filter(|due| !over.contains(&due.key));
    Ok(found.take_while(|due| due.next_at <= now).take(together as usize).collect())
}

/// A delivery whose body is stored.
struct Begun {
    due: DueDelivery,
    body: String,
    is_talk: bool,
}

struct Sender<'a> {
    hub: &'a Hub,
    row: &'a ChannelRow,
    open: &'a Open,
    /// Where in the channel each session is shown, as far as is known.
    places: Option<HashMap<SessionId, Option<String>>>,
    /// The last message of each session's talk.
    threads: HashMap<SessionId, Option<String>>,
}

impl Sender<'_> {
    /// Renders what isn't begun, and notes what is to be stored of it.
    async fn begin(&self, due: Vec<DueDelivery>, changes: &mut Vec<DeliveryChange>) -> Result<Vec<Begun>, StoreError> {
        let mut begun = Vec::with_capacity(due.len());
        for due in due {
            let (key, latest) = (due.key, due.latest);
            if let Some(body) = due.body.clone() {
                begun.push(Begun { body, is_talk: due.is_talk, due });
                continue;
            }
            match render(self.hub, self.row, self.open, &due).await {
                Ok(Some(rendered)) => {
                    let (body, is_talk) = (rendered.body.clone(), rendered.is_talk);
                    changes.push(DeliveryChange::Begun {
                        key,
                        latest,
                        body: rendered.body,
                        said: rendered.said,
                        shown: rendered.shown,
                        is_talk,
                    });
                    begun.push(Begun { due, body, is_talk });
                }
                Ok(None) => changes.push(DeliveryChange::Skipped { key, latest }),
                // A message that can't be read, as one that is damaged: the others go on.
                Err(problem) => changes.push(DeliveryChange::Dead { key, error: problem.to_string() }),
            }
        }
        Ok(begun)
    }

    /// Sends, and notes what became of it. True if one failed that is to be sent again.
    async fn send(
        &mut self,
        begun: Vec<Begun>,
        queueing: Queueing,
        outcomes: &mut Vec<DeliveryChange>,
    ) -> Result<bool, StoreError> {
        let end = tokio::time::Instant::now() + BATCH;
        let mut has_failed = false;
        for Begun { due, body, is_talk } in begun {
            let key = due.key;
            match self.send_one(&due, body).await? {
                Ok(sent) => {
                    // An edit of an earlier message begins no other thread.
                    if is_talk && due.external_id.is_none() && sent.id.is_some() {
                        self.threads.insert(due.session.clone(), sent.id.clone());
                    }
                    // An edit may be answered with an id of its own: what is edited is the first one.
                    let external_id = due.external_id.clone().or(sent.id);
                    outcomes.push(DeliveryChange::Sent { key, external_id, at: clock::now() });
                }
                Err(Failure::Never { reason, .. }) => outcomes.push(DeliveryChange::Dead { key, error: reason }),
                Err(Failure::Later { reason, .. }) if queueing == Queueing::AsDue && due.attempts + 1 >= ATTEMPTS => {
                    outcomes.push(DeliveryChange::Dead { key, error: reason });
                }
                Err(Failure::Later { reason, after }) => {
                    let next_at = Micros(clock::now().0 + pause(due.attempts, after));
                    outcomes.push(DeliveryChange::Failed { key, error: reason, next_at });
                    has_failed = true;
                    if queueing == Queueing::InOrder {
                        break;
                    }
                }
            }
            // The rest is begun, and comes with the next batch.
            if tokio::time::Instant::now() > end {
                break;
            }
        }
        Ok(has_failed)
    }

    async fn send_one(&mut self, due: &DueDelivery, body: String) -> Result<Result<Sent, Failure>, StoreError> {
        let place = match self.place(&due.session).await? {
            Ok(place) => place,
            Err(failure) => return Ok(Err(failure)),
        };
        let thread = if let Some(known) = self.threads.get(&due.session) {
            known.clone()
        } else {
            let last = self.hub.workspace.last_talk(&self.row.id, &due.session).await?;
            self.threads.insert(due.session.clone(), last.clone());
            last
        };
        let DeliveryKey { session_rid, seq } = due.key;
        let sending = Sending {
            key: format!("vb-{}-{session_rid}-{seq}-{}", self.row.id, due.sends),
            body,
            earlier: due.external_id.clone(),
            place,
            thread,
            at: clock::now().0 / Micros::SECOND,
        };
        Ok(self.open.channel.send(&sending).await)
    }

    /// Where the session is shown. Made and kept at its first message.
    async fn place(&mut self, session: &SessionId) -> Result<Result<Option<String>, Failure>, StoreError> {
        let workspace = &self.hub.workspace;
        let places = match &mut self.places {
            Some(places) => places,
            none => {
                let bound = workspace.bound_sessions(&self.row.id).await?;
                let known = bound.into_iter().filter_map(|bound| Some((bound.session, Some(bound.place?))));
                none.insert(known.collect())
            }
        };
        if let Some(known) = places.get(session) {
            return Ok(Ok(known.clone()));
        }
        let title = workspace.session(session, clock::now()).await?.map_or_else(String::new, |found| found.title);
        let people: Vec<String> = people(self.row).into_keys().collect();
        let page = page(self.hub, session, None);
        let place = Place { session: session.as_str(), title: &title, page: &page, people: &people };
        let made = match self.open.channel.make_place(&place).await {
            Ok(made) => made,
            Err(failure) => return Ok(Err(failure)),
        };
        if let Some(place) = &made {
            workspace.put_place(&self.row.id, session, place).await?;
        }
        places.insert(session.clone(), made.clone());
        Ok(Ok(made))
    }
}
