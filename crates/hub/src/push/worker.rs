//! Shows and closes notifications, each browser by a task of its own, so that a push service that is slow or fails delays
//! no other.

use crate::account::login;
use crate::basics::pause::pause;
use crate::basics::{clock, problem};
use crate::context::Hub;
use crate::may;
use crate::people::mentions::Mentions;
use crate::push::plan::{Job, Plan, Situation};
use crate::push::turns::Turns;
use crate::push::{Push, is_gone, quiet, send, settings, text};
use ::channels::Failure;
use api::Problem;
use model::{Micros, SessionId};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;
use store::{OpenAsk, PushDevice, PushKind, PushNotice, PushState, PushSubject, Sight, StoreError};
use tokio::task::JoinSet;

/// Open requests that are looked at.
const MOST: u32 = 1_000;
/// How often the worker looks at what may have changed without a sign: another server on the same database, or its end.
const LOOK: Duration = Duration::from_secs(30);
/// Commits that come within this time are looked at together.
const GATHER: Duration = Duration::from_millis(500);
/// How long a notification is left to the server that took it.
const LEASE: i64 = 60 * Micros::SECOND;
/// Attempts to show or close a notification.
const ATTEMPTS: i64 = 12;

/// A task's browser, and when it has something to do next.
type Ended = (String, Result<Option<Micros>, Problem>);

/// Works until the hub ends.
pub async fn run(hub: Hub) {
    let mut changed = hub.state::<Push>().changed.subscribe();
    let mut revoked = hub.revoked.subscribe();
    let mut news = hub.feed.news();
    let mut mentions = hub.state::<Mentions>().news.subscribe();
    let mut worker = Worker::default();
    let mut is_due = true;
    loop {
        if is_due {
            changed.borrow_and_update();
            revoked.borrow_and_update();
            news.borrow_and_update();
            mentions.borrow_and_update();
            if let Err(problem) = worker.look(&hub).await {
                tracing::warn!(%problem, "notifications can't be looked at");
            }
        }
        let has_devices = worker.turns.is_some();
        let next = worker.next.min(Micros(clock::now().0 + LOOK.as_micros() as i64));
        is_due = tokio::select! {
            _ = changed.changed() => true,
            _ = revoked.changed() => true,
            _ = mentions.changed() => true,
            _ = news.changed(), if has_devices => {
                tokio::time::sleep(GATHER).await;
                true
            }
            Some(ended) = worker.tasks.join_next(), if !worker.tasks.is_empty() => worker.end(ended.ok()),
            () = clock::until(next) => true,
        };
    }
}

struct Worker {
    /// None without browsers: then nobody asks what happens in sessions.
    turns: Option<Turns>,
    tasks: JoinSet<Ended>,
    /// Browsers with a task.
    busy: HashSet<String>,
    /// Browsers that weren't looked at because they had a task.
    skipped: HashSet<String>,
    /// Turns that ended meanwhile.
    missed: Vec<(String, PushSubject)>,
    next: Micros,
}

impl Default for Worker {
    fn default() -> Self {
        let (busy, skipped) = (HashSet::new(), HashSet::new());
        Self { turns: None, tasks: JoinSet::new(), busy, skipped, missed: Vec::new(), next: clock::NEVER }
    }
}

impl Worker {
    /// Starts a task for each browser that has none.
    async fn look(&mut self, hub: &Hub) -> Result<(), Problem> {
        self.next = clock::NEVER;
        let devices = devices(hub).await?;
        let mentions = hub.state::<Mentions>().take();
        let Some(after) = devices.iter().map(|device| device.stored.from_rid).min() else {
            self.turns = None;
            return Ok(());
        };
        let now = clock::now();
        let turns = self.turns.get_or_insert_with(|| Turns::new(hub));
        let ended = turns.ended(hub, now).await.map_err(problem)?;
        if turns.has_more() {
            self.next = now;
        }
        // People who see the same share what is open.
        let mut seen: Vec<Seen> = Vec::new();
        for Device { stored: device, person, sight } in devices {
            if !seen.iter().any(|seen| seen.sight == sight) {
                seen.push(Seen::read(hub, sight.clone(), after, &ended).await?);
            }
            let Some(seen) = seen.iter().find(|seen| seen.sight == sight) else { continue };
            let mut own: Vec<PushSubject> = seen.ended.clone();
            for mention in mentions.iter().filter(|mention| mention.person == person) {
                let subject =
                    PushSubject { kind: PushKind::Mention, session: mention.session.clone(), seq: mention.seq };
                own.extend(is_seen(hub, &seen.sight, &subject).await?.then_some(subject));
            }
            let own = own.into_iter().map(|subject| (device.login.clone(), subject));
            if !self.busy.insert(device.login.clone()) {
                self.skipped.insert(device.login.clone());
                self.missed.extend(own);
                continue;
            }
            let missed = self.missed.extract_if(.., |(login, _)| *login == device.login);
            let ended: Vec<PushSubject> = missed.chain(own).map(|(_, subject)| subject).collect();
            let (hub, open) = (hub.clone(), Arc::clone(&seen.open));
            self.tasks.spawn(async move {
                let done = Round { hub: &hub, device: &device, open: &open }.run(&ended).await;
                (device.login, done.map_err(problem))
            });
        }
        Ok(())
    }

    /// Takes the outcome of a task; None if it was stopped. Returns true if its browser is to be looked at again.
    fn end(&mut self, ended: Option<Ended>) -> bool {
        let Some((login, next)) = ended else {
            self.busy.clear();
            return true;
        };
        self.busy.remove(&login);
        match next {
            Ok(next) => self.next = self.next.min(next.unwrap_or(clock::NEVER)),
            Err(problem) => tracing::warn!(%problem, "a browser's notifications can't be stored"),
        }
        self.skipped.remove(&login)
    }
}

/// What there is to tell to people with the same sight.
struct Seen {
    sight: Sight,
    open: Arc<[OpenAsk]>,
    ended: Vec<PushSubject>,
}

impl Seen {
    async fn read(hub: &Hub, sight: Sight, after: i64, all: &[PushSubject]) -> Result<Self, Problem> {
        let open = hub.workspace.open_asks(&sight, after, MOST).await.map_err(problem)?.into();
        let mut ended = Vec::new();
        for subject in all {
            if is_seen(hub, &sight, subject).await? {
                ended.push(subject.clone());
            }
        }
        Ok(Self { sight, open, ended })
    }
}

async fn is_seen(hub: &Hub, sight: &Sight, subject: &PushSubject) -> Result<bool, Problem> {
    if *sight == Sight::All {
        return Ok(true);
    }
    let Ok(session) = SessionId::parse(subject.session.as_str()) else { return Ok(false) };
    Ok(may::seen(hub, sight, &session).await?.is_some())
}

/// A browser that takes notifications.
struct Device {
    stored: PushDevice,
    person: String,
    /// What its person may see.
    sight: Sight,
}

/// Returns the browsers that take notifications. Those whose log-in has ended are deleted.
async fn devices(hub: &Hub) -> Result<Vec<Device>, Problem> {
    let devices = hub.workspace.push_devices().await.map_err(problem)?;
    if devices.is_empty() {
        return Ok(Vec::new());
    }
    let logins = hub.holding_logins().await?;
    let people: HashMap<&str, &str> =
        logins.iter().map(|login| (login::id_of_hash(&login.hash), login.person.as_str())).collect();
    let mut holding = Vec::with_capacity(devices.len());
    for device in devices {
        let user = match people.get(device.login.as_str()) {
            Some(person) => hub.user(person).await?,
            None => None,
        };
        match user {
            Some(user) => holding.push(Device { stored: device, person: user.id, sight: user.sight }),
            None => hub.workspace.delete_push_device(&device.login).await.map_err(problem)?,
        }
    }
    Ok(holding)
}

/// The work for one browser.
struct Round<'a> {
    hub: &'a Hub,
    device: &'a PushDevice,
    open: &'a [OpenAsk],
}

/// What becomes of the browser's other notifications.
enum Then {
    GoOn,
    /// At this time: its push service can't be reached, or asks for a pause.
    Wait(Micros),
    /// The browser takes none any more.
    Gone,
}

impl Round<'_> {
    async fn run(&self, ended: &[PushSubject]) -> Result<Option<Micros>, StoreError> {
        let workspace = &self.hub.workspace;
        let (settings, now) = (settings(self.device), clock::now());
        let notices = workspace.push_notices(&self.device.login).await?;
        let situation = Situation {
            settings: &settings,
            quiet_until: quiet::until(&settings, now),
            from_rid: self.device.from_rid,
            open: self.open,
            ended,
            notices: &notices,
        };
        let plan = Plan::of(&situation, now);
        let mut next = plan.next;
        let mut error = self.device.error.clone();
        for job in plan.jobs {
            let then = match job {
                Job::Tell { subject, before, count } => {
                    self.tell(subject, before.as_ref(), count, settings.details, &mut error).await?
                }
                Job::Sum { subject, before } => {
                    let notice = PushNotice { state: PushState::Summed, ..taken(subject, before.as_ref()) };
                    workspace.take_push_notice(&self.device.login, before.as_ref(), &notice).await?;
                    Then::GoOn
                }
                Job::Close(notice) => self.close(&notice, &mut error).await?,
                Job::Forget(subject) => {
                    workspace.delete_push_notice(&self.device.login, &subject).await?;
                    Then::GoOn
                }
            };
            match then {
                Then::GoOn => {}
                Then::Wait(at) => {
                    next = Some(next.map_or(at, |next| next.min(at)));
                    break;
                }
                Then::Gone => {
                    workspace.delete_push_device(&self.device.login).await?;
                    return Ok(None);
                }
            }
        }
        if error != self.device.error {
            workspace.note_push_error(&self.device.login, error.as_deref()).await?;
        }
        Ok(next)
    }

    async fn tell(
        &self,
        subject: PushSubject,
        before: Option<&PushNotice>,
        count: i64,
        details: bool,
        error: &mut Option<String>,
    ) -> Result<Then, StoreError> {
        let workspace = &self.hub.workspace;
        let notice = PushNotice { count, ..taken(subject, before) };
        if !workspace.take_push_notice(&self.device.login, before, &notice).await? {
            return Ok(Then::GoOn);
        }
        let Ok(Some(mut text)) = text::show(self.hub, &notice.subject, count, details).await else {
            // The session is gone, or its message can't be read.
            workspace.delete_push_notice(&self.device.login, &notice.subject).await?;
            return Ok(Then::GoOn);
        };
        text.renotify = before.is_none_or(|before| count > before.count);
        let is_urgent = notice.subject.kind != PushKind::Finished;
        let sent = self.send(text, is_urgent).await;
        let shown = PushNotice { state: PushState::Shown, attempts: 0, told_at: Some(clock::now()), ..notice.clone() };
        self.settle(sent, &notice, Some(&shown), error).await
    }

    async fn close(&self, before: &PushNotice, error: &mut Option<String>) -> Result<Then, StoreError> {
        let notice = PushNotice { state: PushState::Closing, ..taken(before.subject.clone(), Some(before)) };
        if !self.hub.workspace.take_push_notice(&self.device.login, Some(before), &notice).await? {
            return Ok(Then::GoOn);
        }
        let sent = self.send(text::close(&notice.subject), false).await;
        self.settle(sent, &notice, None, error).await
    }

    async fn send(&self, text: text::PushText, is_urgent: bool) -> Result<(), Failure> {
        let text = text::PushText { waiting: self.open.len(), ..text };
        send(self.hub, self.device, &text, is_urgent).await
    }

    /// Stores the outcome: `after`, or nothing if it is None.
    async fn settle(
        &self,
        sent: Result<(), Failure>,
        notice: &PushNotice,
        after: Option<&PushNotice>,
        error: &mut Option<String>,
    ) -> Result<Then, StoreError> {
        let (workspace, login) = (&self.hub.workspace, &self.device.login);
        match sent {
            Ok(()) => *error = None,
            Err(failure) if is_gone(&failure) => return Ok(Then::Gone),
            Err(Failure::Later { reason, after }) if notice.attempts + 1 < ATTEMPTS => {
                *error = Some(reason);
                let next_at = Micros(clock::now().0 + pause(notice.attempts, after));
                let later = PushNotice { attempts: notice.attempts + 1, next_at, ..notice.clone() };
                workspace.take_push_notice(login, Some(notice), &later).await?;
                return Ok(Then::Wait(next_at));
            }
            Err(failure) => *error = Some(failure.to_string()),
        }
        match after {
            Some(after) => drop(workspace.take_push_notice(login, Some(notice), after).await?),
            None => workspace.delete_push_notice(login, &notice.subject).await?,
        }
        Ok(Then::GoOn)
    }
}

/// A notification that is taken now.
fn taken(subject: PushSubject, before: Option<&PushNotice>) -> PushNotice {
    PushNotice {
        subject,
        state: PushState::Due,
        count: before.map_or(0, |before| before.count),
        attempts: before.map_or(0, |before| before.attempts),
        next_at: Micros(clock::now().0 + LEASE),
        told_at: before.and_then(|before| before.told_at),
    }
}
