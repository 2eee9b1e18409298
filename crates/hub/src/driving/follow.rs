//! Applies the events of an agent until it ends, and passes people's messages to it.

use crate::basics::clock;
use crate::context::Hub;
use crate::driving::hold::Hold;
use crate::driving::{Running, asks, end_session, joins, kept, prompts, view};
use crate::host::{HostEvent, HostMessage};
use crate::requests::{Requests, card};
use api::driving::AgentState;
use drivers::{Answer, Ask, AskKind, Command, Event, Exit, Reason, State, When};
use model::closed::CloseReason;
use model::session::{Live, LiveState};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use store::{AgentPhase, Driven, DrivenState, Ended, LiveEdit, LiveWrite, SignOfLife};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// How often an agent that works gives a sign of life.
const BEAT: Duration = Duration::from_secs(20);
/// Requests of an agent that may wait for people at a time.
const MOST_ASKED: usize = 100;

/// Follows an agent until it ends, or a joined one, of which nothing is stored beside, until it is left. Events are always
/// taken: what takes long is a task of its own.
pub async fn follow(
    hub: Hub,
    running: Arc<Running>,
    (mut stored, mut hold): (Option<Driven>, Hold),
    mut events: mpsc::Receiver<Event>,
) {
    let mut asked: HashMap<String, OpenRequest> = HashMap::new();
    let (edits, edited) = write_edits(&hub);
    let ended = CancellationToken::new();
    // A joined agent's text is also in its terminal and in its transcript.
    let growing = !running.is_joined;
    let growing = growing.then(|| tokio::spawn(kept::store_growing(hub.clone(), Arc::clone(&running), ended.clone())));
    let (exit, shuts_down) = take_all(&hub, &running, (&mut stored, &mut hold), &mut events, &mut asked, &edits).await;
    running.is_over.store(true, Ordering::Relaxed);
    for (_, asked) in asked {
        asked.over.cancel();
    }
    // Whoever waits to give it something finds that it ended.
    running.rests.notify_one();
    ended.cancel();
    let stored_texts = match growing {
        // Its only failure is a runtime that ends.
        Some(growing) => growing.await.unwrap_or_default(),
        None => kept::Stored::default(),
    };
    if shuts_down {
        // The store is about to close: the agent is marked when the server starts again.
        running.leave(&hub);
        return;
    }
    // Store the agent's edits before its end.
    drop(edits);
    let _ = edited.await;
    let Some(stored) = stored else { return joins::left(&hub, &running, exit.as_ref(), &hold).await };
    let ended = as_ended(exit.as_ref(), stored, &running);
    if hold.is_held(&hub).await {
        close(&hub, &running, &ended, &stored_texts).await;
    }
    hold.release(&hub, Some(&ended)).await;
    running.leave(&hub);
}

/// Takes the events of an agent until it ends. Returns how it ended, and whether the server shuts down.
async fn take_all(
    hub: &Hub,
    running: &Arc<Running>,
    (stored, hold): (&mut Option<Driven>, &mut Hold),
    events: &mut mpsc::Receiver<Event>,
    asked: &mut HashMap<String, OpenRequest>,
    edits: &Edits,
) -> (Option<Exit>, bool) {
    let mut beat = tokio::time::interval(BEAT);
    let mut shuts_down = false;
    loop {
        tokio::select! {
            event = events.recv() => match event {
                Some(Event::Ended(exit)) => return (Some(exit), shuts_down),
                Some(event) => {
                    let tells_choices = matches!(event, Event::Session { .. });
                    // The agent's state at the end of the server stays stored. It is stored first, so that what is
                    // shown holds after a crash.
                    if let Event::State(state) = event
                        && !shuts_down
                    {
                        keep_phase(hub, running, state, hold).await;
                    }
                    take(hub, running, event, asked, edits);
                    if let Some(stored) = stored.as_mut().filter(|_| tells_choices) {
                        keep_choices(hub, running, stored).await;
                    }
                }
                None => return (None, shuts_down),
            },
            _ = beat.tick() => {
                if running.view().state == AgentState::Working && !running.is_joined {
                    edit(edits, running, |edit| edit.sign = Some(SignOfLife::Heartbeat));
                }
                if hub.settings.server.is_some() && matches!(hold.renew(hub).await, Ok(false)) {
                    end(running);
                }
            }
            () = hub.shutdown.cancelled(), if !shuts_down => {
                shuts_down = true;
                let phase = if running.view().state == AgentState::Idle { AgentPhase::Idle } else { AgentPhase::Stopped };
                // A phase that can't be written now counts as a crash when the server starts again.
                let _ = hold.keep(hub, phase, running.handle.process()).await;
                end(running);
            }
        }
    }
}

/// Stores what an agent that ended leaves behind, and that it ended.
async fn close(hub: &Hub, running: &Running, ended: &Driven, stored_texts: &kept::Stored) {
    if let Err(problem) = Requests::of(hub).withdraw(&running.session, CloseReason::AgentEnded).await {
        tracing::warn!(%problem, "what an agent asked can't be closed now");
    }
    kept::keep(hub, running, stored_texts).await;
    let failed = ended.state == DrivenState::Failed;
    if failed {
        let message = HostMessage::new(&HostEvent::AgentFailed { error: ended.reason.clone() });
        hub.tell_session(&running.session, &message).await;
    }
    // Last: whatever else comes to the session counts as newer than its state, and a turn that broke off as work.
    end_session(hub, ended, if failed { Ended::Failed } else { Ended::Done }).await;
}

/// Tells the agent to end, without waiting for it.
fn end(running: &Arc<Running>) {
    let running = Arc::clone(running);
    tokio::spawn(async move { running.command(Command::End).await });
}

/// Stores whether the agent works, and its process where it was started again: by these the next server knows what to
/// do where this one is killed.
async fn keep_phase(hub: &Hub, running: &Arc<Running>, state: State, hold: &mut Hold) {
    let phase = match state {
        State::Idle => AgentPhase::Idle,
        State::Working | State::Waiting => AgentPhase::Working,
        // Between two processes of one run.
        State::Starting => return,
    };
    match hold.keep(hub, phase, running.handle.process()).await {
        Ok(true) => {}
        Ok(false) => end(running),
        Err(error) => tracing::warn!(%error, "what an agent does can't be stored"),
    }
}

/// Stores the mode and the model: with these the agent goes on, also where the server is killed.
async fn keep_choices(hub: &Hub, running: &Running, stored: &mut Driven) {
    let (mode, model) = {
        let view = running.view();
        (view.mode.clone(), view.model.clone())
    };
    if stored.mode == mode && stored.model == model {
        return;
    }
    (stored.mode, stored.model) = (mode, model);
    if let Err(error) = hub.workspace.put_driven(stored).await {
        tracing::warn!(%error, "the mode of an agent can't be stored");
    }
}

fn as_ended(exit: Option<&Exit>, stored: Driven, running: &Running) -> Driven {
    let (state, reason) = match exit {
        Some(exit) if exit.reason == Reason::Asked => (DrivenState::Ended, None),
        Some(exit) if exit.reason == Reason::Stuck => {
            (DrivenState::Failed, Some("The agent didn't read its input, and was ended".to_owned()))
        }
        Some(exit) if exit.reason == Reason::Itself && exit.code == Some(0) => {
            (DrivenState::Ended, Some("The agent ended by itself".to_owned()))
        }
        Some(exit) => {
            let how =
                exit.code.map_or_else(|| "was killed".to_owned(), |code| format!("ended with the exit code {code}"));
            let said = view::said(exit).map_or_else(String::new, |said| format!(": {said}"));
            (DrivenState::Failed, Some(format!("The agent {how}{said}")))
        }
        None => (DrivenState::Failed, Some("The agent was lost".to_owned())),
    };
    let view = running.view();
    let (mode, model) = (view.mode.clone(), view.model.clone());
    Driven { state, reason, mode, model, ended_at: Some(clock::now()), ..stored }
}

/// A request that waits for a person.
struct OpenRequest {
    /// Takes it back.
    over: CancellationToken,
    task: JoinHandle<()>,
}

/// Tells the agent that so many requests wait already, and people that it asked for more.
fn refuse(hub: &Hub, running: &Arc<Running>, ask: &Ask) {
    let notice = format!("The agent asks for more than {MOST_ASKED} things at once: the others are refused");
    if running.view().last_notice() != Some(&*notice) {
        running.show(hub, |view| view.note(notice));
    }
    let message = format!("{MOST_ASKED} requests wait for a person already: ask again when some are decided");
    let answer = match ask.kind {
        // Its terminal asks.
        _ if running.is_joined => Answer::Cancel,
        AskKind::Form => Answer::Cancel,
        _ => Answer::Deny { option: None, message: Some(message) },
    };
    let (running, request) = (Arc::clone(running), ask.request.clone());
    tokio::spawn(async move { running.command(Command::Answer { request, answer }).await });
}

fn take(hub: &Hub, running: &Arc<Running>, event: Event, asked: &mut HashMap<String, OpenRequest>, edits: &Edits) {
    let mut waits_for = None;
    match &event {
        Event::Asked(ask) => {
            asked.retain(|_, asked| !asked.task.is_finished());
            if asked.len() >= MOST_ASKED {
                return refuse(hub, running, ask);
            }
            waits_for = Some(card::waits_for(&ask.tool_name));
            let over = CancellationToken::new();
            let task = tokio::spawn(asks::ask(hub.clone(), Arc::clone(running), ask.clone(), over.clone()));
            asked.insert(ask.request.clone(), OpenRequest { over, task });
        }
        Event::Withdrawn { request } => {
            if let Some(asked) = asked.remove(request) {
                asked.over.cancel();
            }
        }
        Event::Unknown(kind) => {
            let agent = running.program.name;
            return tracing::info!(agent, kind, "an agent sent a message of an unknown type");
        }
        Event::Session { version, model, .. } => {
            let (version, model) = (version.clone(), model.clone());
            edit(edits, running, |edit| (edit.facts.version, edit.facts.model) = (version, model));
        }
        Event::Growing { .. } | Event::Grown { .. } => running.grows.notify_one(),
        Event::Undelivered { text } => joins::tell_undelivered(hub, running, text.clone()),
        _ => {}
    }
    let before = running.view().state;
    running.show(hub, |view| view.take(event));
    let state = running.view().state;
    let (state, reason) = match state {
        _ if waits_for.is_some() => (LiveState::Waiting, waits_for.unwrap_or_default()),
        _ if state == before => return,
        AgentState::Working => (LiveState::Working, "Works on a prompt".to_owned()),
        AgentState::Idle => (LiveState::Idle, "Waits for a prompt".to_owned()),
        _ => return,
    };
    edit(edits, running, |edit| {
        edit.live = Some(Live { state, reason, at: clock::now() });
        // A joined one goes on where we can't tell: its transcript counts as well.
        if !running.is_joined {
            edit.sign = (state == LiveState::Working).then_some(SignOfLife::Heartbeat);
            (edit.rests, edit.driven) = (state == LiveState::Idle, Some(true));
        }
    });
    if state == LiveState::Idle {
        running.rests.notify_one();
    }
}

/// Changes of the session that wait to be written.
type Edits = mpsc::UnboundedSender<LiveEdit>;

/// Writes changes of the session in their order. They are few: one for each change of the agent's state.
fn write_edits(hub: &Hub) -> (Edits, JoinHandle<()>) {
    let (edits, mut waiting) = mpsc::unbounded_channel();
    let hub = hub.clone();
    let written = tokio::spawn(async move {
        while let Some(edit) = waiting.recv().await {
            if let Err(failure) = hub.writer.write(LiveWrite::Edit(Box::new(edit))).await {
                tracing::debug!(?failure, "what an agent does can't be stored");
            }
        }
    });
    (edits, written)
}

/// Changes the session, without waiting for it.
fn edit(edits: &Edits, running: &Running, change: impl FnOnce(&mut LiveEdit)) {
    let mut edit = LiveEdit::new(running.session.clone());
    change(&mut edit);
    // Whoever writes them lives as long as the agent.
    let _ = edits.send(edit);
}

/// Gives the agent what people write, while it runs: when it waits for a prompt, or at once when a person wants that.
pub async fn deliver(hub: Hub, running: Arc<Running>) {
    let session = &running.session;
    let bell = hub.writer.waiters().of(session);
    let mut steers = false;
    loop {
        // Listens before it looks: what comes between the two wakes it.
        let rung = bell.notified();
        tokio::pin!(rung);
        rung.as_mut().enable();
        if running.is_over.load(Ordering::Relaxed) {
            return;
        }
        let is_idle = running.view().state == AgentState::Idle;
        if is_idle || steers {
            give(&hub, &running, is_idle).await;
        }
        steers = false;
        tokio::select! {
            () = rung => {}
            () = running.rests.notified() => {}
            () = running.steers.notified() => steers = true,
            () = hub.shutdown.cancelled() => return,
        }
    }
}

/// One prompt is a run, and the next one waits for its end. What steers joins the run, all at once.
async fn give(hub: &Hub, running: &Arc<Running>, is_idle: bool) {
    let when = if is_idle { When::Queue } else { When::Steer };
    loop {
        // An aside wakes nobody, but goes along with what a person wants the agent to have now.
        let waits = |queue: store::Queue| if when == When::Steer { queue.holds(None) } else { queue.waits(None) };
        let waits = hub.workspace.queue(&running.session).await.ok().flatten().is_some_and(waits);
        if !waits {
            return;
        }
        let prompt = match prompts::next(hub, running, when).await {
            Ok(Some(prompt)) => prompt,
            Ok(None) => return,
            Err(problem) => return tracing::warn!(%problem, "what people wrote can't be given to the agent now"),
        };
        let words = model::text::one_line(&prompt.text, 80);
        if let Err(problem) = running.command(Command::Prompt(prompt)).await {
            running.show(hub, |view| {
                view.note(format!("The agent didn't take \u{201c}{words}\u{201d}: {}", problem.title));
            });
        }
        if is_idle {
            return;
        }
    }
}
