//! What people write here for an agent in its own terminal. A hook of the agent waits for it, and passes it on.
//!
//! The agent is told that its user didn't type this, and that it is no consent. Permissions are asked for and answered by
//! `wait` alone.

use crate::account::keys::holds_until;
use crate::basics::{clock, problem};
use crate::context::{Hub, Scoped};
use crate::driving::{Arrival, Driving, GAP, Terminals, prompts};
use crate::hooks::{Reporter, reporter, tell};
use api::Problem;
use api::hooks::{HookEvent, HookPath, HookWaits, HookWords};
use model::SessionId;
use model::session::{Live, LiveState};
use std::time::Duration;
use store::Store;
use tokio::runtime::Handle;
use tokio::time::Instant;

/// Longest id of a hook, in bytes.
const HOOK_BYTES: usize = 64;
/// Time between two looks for a session that no transcript has yet, and for words that came by another server.
const LOOK: Duration = Duration::from_secs(1);

/// Waits until somebody wrote something, and the agent rests.
pub async fn wait_for_words(scoped: &Scoped, path: &HookPath, input: HookWaits) -> Result<HookWords, Problem> {
    let (wait, caller) = reporter(scoped, path, &input.session_id)?;
    if !(1..=HOOK_BYTES).contains(&input.hook.len()) {
        return Err(Problem::field("/hook", &format!("an id of 1 to {HOOK_BYTES} bytes")));
    }
    let Some(key) = caller else { return Ok(HookWords::default()) };
    let hub = &scoped.hub;
    let end = Instant::now() + Duration::from_secs(wait);
    let session = loop {
        match Reporter::find(scoped, &key, &input.session_id).await? {
            Reporter::Of(session, _) => break session,
            Reporter::Deleted => return Ok(HookWords::default()),
            // Its transcript makes it with the first prompt.
            Reporter::Unknown if Instant::now() >= end => return Ok(HookWords { waits: true, words: None }),
            Reporter::Unknown => tokio::select! {
                () = tokio::time::sleep(LOOK) => {}
                () = hub.shutdown.cancelled() => return Ok(HookWords { waits: true, words: None }),
            },
        }
    };
    let Some(waiting) = Waiting::begin(hub, &session, &input) else { return Ok(HookWords::default()) };
    waiting.wait(scoped, end).await
}

/// Notes what an event says about the terminal of a session.
pub fn note(hub: &Hub, session: &SessionId, event: &HookEvent) {
    let terminals = hub.state::<Terminals>();
    let is_busy = match event.hook_event_name.as_str() {
        "SessionEnd" => {
            if terminals.end(session) {
                hub.state::<Driving>().ring(session);
            }
            return;
        }
        // Sub-agents work on behind a turn that is over.
        _ if event.agent_id.is_some() => return,
        "UserPromptSubmit" | "PreToolUse" | "PostToolUse" | "PostToolUseFailure" => true,
        "Stop" | "StopFailure" => false,
        "Notification" if event.notification_type.as_deref() == Some("idle_prompt") => false,
        _ => return,
    };
    if terminals.turn(session, is_busy) {
        hub.state::<Driving>().ring(session);
        if !is_busy {
            end_later(hub, session);
        }
    }
}

/// Takes the terminal off when no hook came to wait there until then.
fn end_later(hub: &Hub, session: &SessionId) {
    let Ok(runtime) = Handle::try_current() else { return };
    let (hub, session) = (hub.clone(), session.clone());
    runtime.spawn(async move {
        tokio::time::sleep(GAP).await;
        if hub.state::<Terminals>().end_without_hook(&session) {
            hub.state::<Driving>().ring(&session);
        }
    });
}

/// A request of a hook. When the hook hangs up, this is dropped.
struct Waiting {
    hub: Hub,
    session: SessionId,
    hook: String,
    bell: std::sync::Arc<tokio::sync::Notify>,
}

impl Waiting {
    /// None if another hook waits in this session, or its agent was started here.
    fn begin(hub: &Hub, session: &SessionId, input: &HookWaits) -> Option<Self> {
        if hub.state::<Driving>().of(session).is_some() {
            return None;
        }
        let is_compacted = input.hook_event_name == "SessionStart" && input.source.as_deref() == Some("compact");
        let arrival = Arrival { hook: &input.hook, is_new: input.is_new, rests: !is_compacted };
        let before = hub.state::<Terminals>().is_busy(session);
        let bell = hub.state::<Terminals>().enter(session, &arrival)?;
        if before != hub.state::<Terminals>().is_busy(session) {
            hub.state::<Driving>().ring(session);
        }
        Some(Self { hub: hub.clone(), session: session.clone(), hook: input.hook.clone(), bell })
    }

    async fn wait(self, scoped: &Scoped, end: Instant) -> Result<HookWords, Problem> {
        let (hub, session) = (&self.hub, &self.session);
        let posts = hub.writer.waiters().of(session);
        let others_write = matches!(hub.store, Store::Postgres(_));
        let mut revoked = hub.revoked.subscribe();
        loop {
            // Listens before it looks: what comes between the two wakes it.
            let (posted, changed) = (posts.notified(), self.bell.notified());
            tokio::pin!(posted, changed);
            posted.as_mut().enable();
            changed.as_mut().enable();
            let ends = holds_until(scoped).await?;
            match hub.state::<Terminals>().rests(session, &self.hook) {
                None => return Ok(HookWords::default()),
                Some(false) => {}
                Some(true) => {
                    if let Some(words) = self.take().await? {
                        return Ok(HookWords { waits: false, words: Some(words) });
                    }
                }
            }
            tokio::select! {
                () = posted => {}
                () = changed => {}
                Ok(()) = revoked.changed() => {}
                () = clock::until(ends) => {}
                () = tokio::time::sleep(LOOK), if others_write => {}
                () = tokio::time::sleep_until(end) => return Ok(HookWords { waits: true, words: None }),
                () = hub.shutdown.cancelled() => return Ok(HookWords { waits: true, words: None }),
            }
        }
    }

    /// Takes the next words that wait.
    async fn take(&self) -> Result<Option<String>, Problem> {
        let (hub, session) = (&self.hub, &self.session);
        let queue = hub.workspace.queue(session).await.map_err(problem)?;
        if !queue.is_some_and(|queue| queue.waits(None)) {
            return Ok(None);
        }
        let Some(words) = prompts::for_terminal(hub, session).await? else { return Ok(None) };
        hub.state::<Terminals>().pass_on(session, &self.hook);
        hub.state::<Driving>().ring(session);
        let reason = "Works on a message from Verbatim".to_owned();
        tell(hub, session, Live { state: LiveState::Working, reason, at: clock::now() }).await?;
        Ok(Some(words))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.hub.state::<Terminals>().leave(&self.session, &self.hook);
        end_later(&self.hub, &self.session);
    }
}
