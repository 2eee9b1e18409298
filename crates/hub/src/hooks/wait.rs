//! A permission request, from the card to the answer.

use crate::account::keys::holds_until;
use crate::basics::hash::create_hash;
use crate::basics::{clock, problem};
use crate::context::quotas::usage;
use crate::context::{Hub, Scoped};
use crate::hooks::{HookMemory, card, output, tell};
use crate::requests;
use crate::requests::card::waits_for;
use crate::requests::waiting::WaitingHooks;
use crate::requests::{Ended, Requests, allow_rules};
use crate::writing::posting;
use agents::claude;
use api::Problem;
use api::hooks::{HookAnswer, HookEvent};
use model::hook::{Fallback, HookAsk};
use model::message_type::approval::ApprovalState;
use model::session::{Live, LiveState};
use model::{Body, Draft, MessageId, Micros, SessionId};
use store::{Store, Usage};
use tokio::runtime::Handle;
use tokio::time::Instant;

/// Waits for a person, `seconds` at most. `key` is the one that asks.
pub async fn wait(
    scoped: &Scoped,
    session: &SessionId,
    mut event: HookEvent,
    key: &str,
    seconds: u64,
) -> Result<HookAnswer, Problem> {
    let hub = &scoped.hub;
    let call = hub.state::<HookMemory>().call_of(key, &event);
    let tool = event.tool_name.take().ok_or_else(|| Problem::missing("/tool_name"))?;
    let waits_for = waits_for(&tool);
    let now = clock::now();
    let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
    let until = Micros(now.0.saturating_add(seconds.saturating_mul(Micros::SECOND)));
    let mut ask = card::ask(tool, event.tool_input.take().unwrap_or_default(), event.cwd.take(), until);
    // A rule is about a folder of this machine.
    let is_here = scoped.caller.machine().is_none();
    ask.rule = ask.rule.filter(|_| is_here);
    // How long the agent waits is no matter of the clock.
    let end = clock::after(until);
    let first = call.as_deref().map_or_else(posting::new_id, claude::approval_id);
    // Made anew where it is needed, and compared by its hash: an input may have many megabytes.
    let asked = hashed(&ask)?;
    let open = |id: &MessageId| Draft { id: id.clone(), ..card::open(&event, &ask, call.as_deref(), now) };
    if is_here && let Some(rule) = allow_rules::covering(hub, ask.folder.as_deref(), &ask.tool_name, &ask.input).await?
    {
        for id in [first, posting::new_id()] {
            let decided = card::by_rule(&open(&id), &rule.rule, now).ok_or_else(Problem::internal)?;
            if post(scoped, session, decided, &asked).await? {
                break;
            }
        }
        return Ok(output::allowed());
    }
    let begin = async |id: &MessageId| Waiting::begin(scoped, session, || open(id), &asked, until).await;
    let waiting = if let Some(waiting) = begin(&first).await? {
        waiting
    } else {
        // The call has a card that is decided, or asks something else. What was decided is used up by who waited for
        // it.
        begin(&posting::new_id()).await?.ok_or_else(Problem::internal)?
    };
    drop(ask);
    let answer = decided(scoped, session, &waiting.message, end).await?;
    let (state, reason) = match &answer {
        Some(_) => (LiveState::Working, "Goes on after an answer".to_owned()),
        None => (LiveState::Waiting, format!("{waits_for} in its terminal")),
    };
    waiting.end().await;
    if answer.is_some() || Instant::now() >= end {
        tell(hub, session, Live { state, reason, at: clock::now() }).await?;
    }
    Ok(answer.unwrap_or_default())
}

/// Waits until it is decided. None if the agent is to ask in its terminal.
async fn decided(
    scoped: &Scoped,
    session: &SessionId,
    message: &MessageId,
    end: Instant,
) -> Result<Option<HookAnswer>, Problem> {
    let hub = &scoped.hub;
    let mut revoked = hub.revoked.subscribe();
    let requests = Requests::of(hub);
    let ended = requests.wait(session, message);
    tokio::pin!(ended);
    loop {
        revoked.borrow_and_update();
        // A decision is for the key that asked, as long as it holds.
        let ends = match holds_until(scoped).await {
            Ok(ends) => ends,
            Err(problem) => {
                close(hub, session, message, Fallback::Closed).await;
                return Err(problem);
            }
        };
        tokio::select! {
            biased;
            () = hub.shutdown.cancelled() => {
                close(hub, session, message, Fallback::Stopped).await;
                return Ok(None);
            }
            ended = &mut ended => return answer_of_holder(scoped, ended).await,
            Ok(()) = revoked.changed() => {}
            () = clock::until(ends) => {}
            () = tokio::time::sleep_until(end) => {
                close(hub, session, message, Fallback::TimedOut).await;
                // Somebody may have been quicker by a moment.
                // It is read once: what can't be closed now would be waited for without end.
                let found = hub.workspace.message(session, message).await.map_err(problem)?;
                return Ok(found.and_then(|found| answer(&found.message.draft)));
            }
        }
    }
}

/// The answer that a request got, if the key that asked still holds.
async fn answer_of_holder(scoped: &Scoped, ended: Option<Ended>) -> Result<Option<HookAnswer>, Problem> {
    holds_until(scoped).await?;
    Ok(ended.and_then(|ended| answer(&ended.draft)))
}

/// The answer that a decided card gives: a person's, made here.
fn answer(draft: &Draft) -> Option<HookAnswer> {
    let ask = HookAsk::of(draft)?;
    let Body::Approval(approval) = Body::of(draft) else { return None };
    let decision = approval.decision.as_ref()?;
    // No request brings the hash along, and a plain denial needs none.
    let is_here = decision.reported_by.is_none()
        && !decision.is_by_archive()
        && (decision.shown_sha256.is_some() || decision.by.is_some() && decision.state == ApprovalState::Denied);
    let answer = output::of(&ask, &approval, decision);
    (is_here && decision.state == approval.state && answer.output.is_some()).then_some(answer)
}

/// Posts the card, or makes one of the row that the transcript brought; a request that comes again while its card is
/// open joins it. Returns false if the row isn't open any more, or is about something else.
async fn stand(
    scoped: &Scoped,
    session: &SessionId,
    (new, again): (Draft, impl Fn() -> Draft),
    asked: &[u8],
) -> Result<bool, Problem> {
    if post(scoped, session, new, asked).await? {
        return Ok(true);
    }
    let asked = asked.to_owned();
    let is_same =
        move |row: &Draft| HookAsk::of(row).is_none_or(|known| hashed(&known).is_ok_and(|hash| hash == asked));
    Requests::of(&scoped.hub).adopt(session, again(), is_same).await
}

/// Returns the hash of what is asked.
fn hashed(ask: &HookAsk) -> Result<Vec<u8>, Problem> {
    create_hash(&(&ask.tool_name, &ask.input, &ask.folder))
}

/// Returns false if its id has a message already. It counts among what the key posts.
async fn post(scoped: &Scoped, session: &SessionId, card: Draft, asked: &[u8]) -> Result<bool, Problem> {
    let hub = &scoped.hub;
    let hash = create_hash(&(&card.id, asked))?;
    let card = requests::card::post(session, card, hash)?;
    let wanted = usage(1, card.bytes());
    let used = |posted: &Result<bool, Problem>| if matches!(posted, Ok(true)) { wanted } else { Usage::default() };
    hub.quotas.pay(&scoped.caller, wanted, Requests::of(hub).post(card), used).await?
}

/// Ends a request that wasn't answered here. What was decided stays.
pub async fn close(hub: &Hub, session: &SessionId, message: &MessageId, why: Fallback) {
    let now = clock::now();
    let closed = move |row: &Draft| card::open_ask(row).and_then(|_| card::closed(row, why, now));
    Requests::of(hub).close(session, message, closed).await;
}

/// Closes what agents waited for when the last server on this database ended. Others on the same database may hold
/// theirs, until their time is over.
pub async fn close_left(hub: &Hub) {
    let left = match hub.workspace.hook_requests().await {
        Ok(left) => left,
        Err(error) => return tracing::warn!(%error, "requests of hooks that a server left can't be read"),
    };
    let is_alone = matches!(hub.store, Store::Sqlite(_));
    for (session, message, until) in left {
        if is_alone || until < clock::now() {
            close(hub, &session, &message, Fallback::Stopped).await;
            note_end(hub, &session, &message).await;
        }
    }
}

/// An agent waits. When it hangs up, this is dropped, and the card says so.
struct Waiting {
    hub: Hub,
    session: SessionId,
    message: MessageId,
    is_over: bool,
}

impl Waiting {
    /// Opens a card, and notes that an agent waits for it. None if its id has a card that isn't open, or asks something
    /// else.
    async fn begin(
        scoped: &Scoped,
        session: &SessionId,
        card: impl Fn() -> Draft,
        asked: &[u8],
        until: Micros,
    ) -> Result<Option<Self>, Problem> {
        let (hub, new) = (&scoped.hub, card());
        let message = new.id.clone();
        // Before the card is there: what its transcript holds of it doesn't replace it from then on.
        hub.workspace.begin_hook_request(session, &message, until).await.map_err(problem)?;
        hub.state::<WaitingHooks>().begin(session, &message, new.call_id.as_deref());
        let waiting = Self { hub: hub.clone(), session: session.clone(), message, is_over: false };
        if stand(scoped, session, (new, card), asked).await? {
            return Ok(Some(waiting));
        }
        waiting.end().await;
        Ok(None)
    }

    /// It was answered, or closed.
    async fn end(mut self) {
        self.is_over = true;
        if self.hub.state::<WaitingHooks>().end(&self.session, &self.message) {
            note_end(&self.hub, &self.session, &self.message).await;
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if self.is_over || !self.hub.state::<WaitingHooks>().end(&self.session, &self.message) {
            return;
        }
        let Ok(runtime) = Handle::try_current() else { return };
        let (hub, session, message) = (self.hub.clone(), self.session.clone(), self.message.clone());
        runtime.spawn(async move {
            let why = if hub.shutdown.is_cancelled() { Fallback::Stopped } else { Fallback::Closed };
            close(&hub, &session, &message, why).await;
            note_end(&hub, &session, &message).await;
        });
    }
}

async fn note_end(hub: &Hub, session: &SessionId, message: &MessageId) {
    // A request that couldn't be closed is closed at the next start.
    if hub.shutdown.is_cancelled() {
        return;
    }
    if let Err(error) = hub.workspace.end_hook_request(session, message, clock::now()).await {
        tracing::debug!(%error, "the end of a hook's request can't be noted");
    }
}
