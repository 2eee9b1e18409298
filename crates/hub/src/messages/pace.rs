//! Texts that grow: a message gets ten new revisions a second at most, however often its agent sends a piece of it.
//!
//! Pieces that come sooner wait, and become one revision: each is answered once it is durable, and the last one always
//! is.

use crate::context::writer::{Failure, Written};
use crate::context::{Hub, TopicState};
use crate::messages::message_edit::MessageEdit;
use model::{MessageId, SessionId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::{Changed, LiveChange, LiveWrite, Refusal, StoredMessage};
use tokio::sync::{Notify, oneshot};
use tokio::time::{Instant, sleep_until};

/// Between two revisions.
const EVERY: Duration = Duration::from_millis(100);
/// So often a change is worked out for a message that others change meanwhile.
const ATTEMPTS: u32 = 8;
/// More than these are looked over for those that rest.
const MANY: usize = 1024;

type Key = (SessionId, MessageId);

#[derive(Default)]
pub struct Pace(Mutex<HashMap<Key, Slot>>);

/// A message that grew lately.
struct Slot {
    /// When the next revision may come.
    next: Instant,
    waiting: Vec<Waiting>,
    /// Rings when something came that doesn't wait.
    go: Arc<Notify>,
}

struct Waiting {
    change: MessageEdit,
    answer: oneshot::Sender<Written>,
}

/// The way in which a change is written.
enum Turn {
    Now(MessageEdit),
    /// Together with the changes that come until then. The first one writes them.
    Later(oneshot::Receiver<Written>, Option<(Instant, Arc<Notify>)>),
}

impl TopicState for Pace {}

impl Pace {
    fn slots(&self) -> MutexGuard<'_, HashMap<Key, Slot>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn turn(&self, key: &Key, change: MessageEdit) -> Turn {
        let (mut slots, now) = (self.slots(), Instant::now());
        if slots.len() > MANY {
            slots.retain(|_, slot| slot.next > now || !slot.waiting.is_empty());
        }
        let grows = change.grows();
        let slot = slots.get_mut(key).filter(|slot| !slot.waiting.is_empty() || (grows && slot.next > now));
        let Some(slot) = slot else {
            if grows {
                let slot = Slot { next: now + EVERY, waiting: Vec::new(), go: Arc::default() };
                slots.insert(key.clone(), slot);
            }
            return Turn::Now(change);
        };
        let first = slot.waiting.is_empty();
        let (answer, written) = oneshot::channel();
        slot.waiting.push(Waiting { change, answer });
        if !grows {
            slot.go.notify_one();
        }
        Turn::Later(written, first.then(|| (slot.next, slot.go.clone())))
    }

    fn take(&self, key: &Key) -> Vec<Waiting> {
        self.slots().get_mut(key).map_or_else(Vec::new, |slot| {
            slot.next = Instant::now() + EVERY;
            std::mem::take(&mut slot.waiting)
        })
    }
}

/// Changes a message, at once or together with its other changes of the next tenth of a second.
pub async fn write(hub: &Hub, key: Key, change: MessageEdit) -> Written {
    match hub.state::<Pace>().turn(&key, change) {
        Turn::Now(change) => write_all(hub, &key, None, Arc::new([change])).await,
        Turn::Later(written, first) => {
            if let Some((at, go)) = first {
                // Whoever hangs up stops nothing: others wait for it too.
                tokio::spawn(write_later(hub.clone(), key, at, go));
            }
            written.await.unwrap_or_else(|_| Err(Failure::Problem(api::Problem::internal())))
        }
    }
}

async fn write_later(hub: Hub, key: Key, at: Instant, go: Arc<Notify>) {
    tokio::select! {
        () = sleep_until(at) => {}
        () = go.notified() => {}
        () = hub.shutdown.cancelled() => {}
    }
    let (changes, answers): (Vec<MessageEdit>, Vec<_>) =
        hub.state::<Pace>().take(&key).into_iter().map(|waiting| (waiting.change, waiting.answer)).unzip();
    let changes: Arc<[MessageEdit]> = changes.into();
    let written = write_all(&hub, &key, None, changes.clone()).await;
    let refused = matches!(written, Err(Failure::Refused(_))) && changes.len() > 1;
    for (change, answer) in changes.iter().zip(answers) {
        // One of them is at fault: by themselves, each gets its own answer.
        let written =
            if refused { write_all(&hub, &key, None, Arc::new([change.clone()])).await } else { written.clone() };
        let _ = answer.send(written);
    }
}

/// All of them as one revision. What takes long to work out isn't within the write, which others wait for: it is done
/// before, and again if the message has changed meanwhile.
pub async fn write_all(
    hub: &Hub,
    (session, message): &Key,
    if_match: Option<i32>,
    changes: Arc<[MessageEdit]>,
) -> Written {
    let mut ready = None;
    let mut attempts = 0;
    loop {
        let known: Option<(i32, Result<Changed, Refusal>)> = ready.take();
        let rule = {
            let changes = Arc::clone(&changes);
            Box::new(move |current: &StoredMessage, _: &[StoredMessage]| match &known {
                Some((revision, changed)) if *revision == current.message.revision => changed.clone(),
                _ if changes.iter().any(|change| change.takes_long(current)) => {
                    Err(Refusal::Revision(Box::new(current.clone())))
                }
                _ => MessageEdit::apply_all(&changes, current),
            })
        };
        let (session, message) = (session.clone(), message.clone());
        let change = LiveChange { session, message, if_match, needs_calls: false, rule, note: None };
        let written = hub.writer.write(LiveWrite::Change(Box::new(change))).await;
        let Err(Failure::Refused(Refusal::Revision(current))) = written else { return written };
        let revision = current.message.revision;
        if attempts == ATTEMPTS || if_match.is_some_and(|expected| expected != revision) {
            return Err(Failure::Refused(Refusal::Revision(current)));
        }
        attempts += 1;
        let (lane, changes) = (MessageEdit::lane(&changes), Arc::clone(&changes));
        let changed = hub.compute.run(lane, move |_| MessageEdit::apply_all(&changes, &current)).await;
        ready = Some((revision, changed.map_err(Failure::Problem)?));
    }
}
