//! Events that agents in their own terminal report by hooks.
//!
//! - `live`: the state of a session's agent, by its hooks. `turn`: the earlier events that this depends on.
//! - `card`: a permission request as an APPROVAL. It has the id that the transcript's message gets later, so that both
//!   are one.
//! - `memory`: recent events. `wait`: a request for which an agent waits, from the card to the answer.
//! - `output`: a decision in the agent's format. `words`: what people write for an agent that waits for it.
//!
//! Messages of the agent come only from the transcript; hooks create approvals and change the live state. In any error,
//! the answer is no decision, and the agent asks in its terminal: nothing is allowed by default, by a timeout or by an
//! unknown word. `allow_rules` has the rules that always allow calls.

mod card;
mod live;
mod memory;
mod output;
mod turn;
mod wait;
mod words;

pub use memory::HookMemory;
pub use wait::close_left;
pub use words::wait_for_words;

use crate::basics::new_id::new_uuid;
use crate::basics::{clock, problem};
use crate::context::writer::Failure;
use crate::context::{Hub, Scoped};
use crate::requests::allow_rules::AGENT;
use crate::requests::waiting::WaitingHooks;
use crate::writing::refusal::refusal;
use api::hooks::{HookAnswer, HookEvent, HookPath};
use api::keys::Scope;
use api::{Problem, ProblemCode};
use model::hook::Fallback;
use model::session::{Live, LiveState};
use model::{SessionFacts, SessionId};
use store::{LiveEdit, LiveWrite, NewSession, Origin};

/// Seconds that an agent waits at most.
const MOST: u64 = 24 * 60 * 60;
/// Characters of a session's own id.
const KEY_CHARS: usize = 128;

/// Takes an event. Waits for a person where it asks for a permission.
pub async fn report_hook(scoped: &Scoped, path: &HookPath, event: HookEvent) -> Result<HookAnswer, Problem> {
    let (wait, caller) = reporter(scoped, path, &event.session_id)?;
    let Some(caller) = caller.as_deref() else { return Ok(HookAnswer::default()) };
    let hub = &scoped.hub;
    let asks = event.hook_event_name == "PermissionRequest";
    let (session, was_idle) = match Reporter::find(scoped, caller, &event.session_id).await? {
        // A person deleted it, and is asked nothing of it.
        Reporter::Deleted => return Ok(HookAnswer::default()),
        Reporter::Of(session, is_idle) => (session, is_idle),
        Reporter::Unknown if asks => {
            let session = create(scoped, &event).await?;
            own(hub, &session, caller).await?;
            (session, false)
        }
        // Its transcript makes it, once it is read.
        Reporter::Unknown => {
            hub.state::<HookMemory>().note_call(caller, &event);
            return Ok(HookAnswer::default());
        }
    };
    hub.state::<HookMemory>().note_call(caller, &event);
    settle(hub, &session, &event).await;
    words::note(hub, &session, &event);
    let turn = hub.state::<HookMemory>().turn(&session, &event, was_idle);
    if let Some(live) = live::of(&event, &turn, clock::now()) {
        tell(hub, &session, live).await?;
    }
    if asks { wait::wait(scoped, &session, event, caller, wait).await } else { Ok(HookAnswer::default()) }
}

/// Reads who reports what. Returns the seconds that the agent waits, and the id of its key; None without a key.
fn reporter(scoped: &Scoped, path: &HookPath, key: &str) -> Result<(u64, Option<String>), Problem> {
    scoped.caller.require(Scope::Hooks)?;
    if path.agent != AGENT {
        return Err(Problem::field("agent", &format!("`{AGENT}`, the only agent whose hooks are supported")));
    }
    let wait = path.wait.parse::<u64>().ok().filter(|seconds| (1..=MOST).contains(seconds));
    let wait = wait.ok_or_else(|| Problem::field("wait", &format!("1 to {MOST} seconds")))?;
    if key.trim().is_empty() || key.contains('\0') || key.chars().count() > KEY_CHARS {
        return Err(Problem::field(
            "/session_id",
            &format!("the agent's id of the session, 1 to {KEY_CHARS} characters"),
        ));
    }
    Ok((wait, scoped.caller.key_id().map(str::to_owned)))
}

/// The session that a hook reports.
enum Reporter {
    /// With whether its agent was idle.
    Of(SessionId, bool),
    Deleted,
    /// Its transcript wasn't read yet.
    Unknown,
}

impl Reporter {
    /// Returns the session of an agent's own id, which the key reports from now on.
    async fn find(scoped: &Scoped, caller: &str, key: &str) -> Result<Self, Problem> {
        let hub = &scoped.hub;
        let known = hub.workspace.session_of_agent(AGENT, key).await.map_err(problem)?;
        // A session that a key made under this id isn't the agent's own: that one is made by its transcript.
        match known.filter(|known| known.key_id.is_none()) {
            None => Ok(Self::Unknown),
            Some(known) if known.is_deleted => Ok(Self::Deleted),
            // A key reports sessions of its own machine.
            Some(known) if known.machine.as_deref() != scoped.caller.machine() => Err(elsewhere()),
            Some(known) => {
                if known.hook_key_id.as_deref() != Some(caller) {
                    own(hub, &known.id, caller).await?;
                }
                Ok(Self::Of(known.id, known.live == Some(LiveState::Idle)))
            }
        }
    }
}

/// Makes a key the one whose events count for a session: the first one that reports it, until it is revoked or expires.
async fn own(hub: &Hub, session: &SessionId, caller: &str) -> Result<(), Problem> {
    if hub.workspace.own_hooks(session, caller, clock::now()).await.map_err(problem)? {
        return Ok(());
    }
    let title = "Another key already reports this session";
    Err(Problem::new(ProblemCode::NotYours, title)
        .hint("Use that key, or revoke it: `verbatim key list` shows the keys with the scope `hooks`"))
}

fn elsewhere() -> Problem {
    Problem::new(ProblemCode::NotYours, "This session is of another machine")
        .hint("Hooks report sessions of the machine on which they run: each machine has a key of its own")
}

/// Makes a session whose transcript wasn't read yet, or isn't followed.
async fn create(scoped: &Scoped, event: &HookEvent) -> Result<SessionId, Problem> {
    let id = SessionId::from_uuid(new_uuid());
    let facts = SessionFacts { cwd: event.cwd.clone(), project: event.cwd.clone(), ..SessionFacts::default() };
    let new = NewSession {
        id,
        agent: AGENT.to_owned(),
        key: event.session_id.clone(),
        parent_key: None,
        facts,
        key_id: None,
        create_hash: None,
        origin: Origin::Transcript,
        machine: scoped.caller.machine().map(str::to_owned),
    };
    scoped.hub.writer.create(new).await.map_err(refusal)
}

/// Stores what the agent does, unless that was told a moment ago.
async fn tell(hub: &Hub, session: &SessionId, live: Live) -> Result<(), Problem> {
    if !hub.state::<HookMemory>().is_news(session, &live) {
        return Ok(());
    }
    let mut edit = LiveEdit::new(session.clone());
    edit.live = Some(live);
    match hub.writer.write(LiveWrite::Edit(Box::new(edit))).await {
        Ok(_) | Err(Failure::Refused(_)) => Ok(()),
        Err(Failure::Problem(problem)) => Err(problem),
    }
}

/// Ends requests of which the event shows that they were answered elsewhere.
async fn settle(hub: &Hub, session: &SessionId, event: &HookEvent) {
    let call = event.tool_use_id.as_deref();
    let over = match event.hook_event_name.as_str() {
        "PostToolUse" | "PostToolUseFailure" => {
            call.map(|call| hub.state::<WaitingHooks>().of_call(session, call)).unwrap_or_default()
        }
        "Stop" | "StopFailure" | "UserPromptSubmit" | "SessionStart" if event.agent_id.is_none() => {
            hub.state::<WaitingHooks>().of_session(session)
        }
        "SessionEnd" => hub.state::<WaitingHooks>().of_session(session),
        _ => return,
    };
    let why = if event.hook_event_name == "SessionEnd" { Fallback::Closed } else { Fallback::Terminal };
    for message in over {
        wait::close(hub, session, &message, why).await;
    }
}
