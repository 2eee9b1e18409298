//! Rules by which old sessions are deleted: moved to the trash, from which a person can restore them for some time. What
//! was deleted isn't read again from its file.
//!
//! A rule looks at each session once, when its time has come. A session that a person restores afterwards stays.

pub mod endpoints;

pub(crate) use endpoints::*;

use crate::basics::{clock, problem};
use crate::context::Hub;
use crate::context::writer::Failure;
use crate::host::{HostEvent, HostMessage};
use crate::upkeep::trash::DAY;
use api::Problem;
use api::retention::RetentionDue;
use model::Micros;
use model::audit::{Actor, Event, Note};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use store::{LiveEdit, LiveWrite, Refusal, Resting, RestingFilter};

/// The name of the value in which the workspace keeps the rules.
const KEY: &str = "retention";
const PAUSE: Duration = Duration::from_hours(1);
/// Sessions that are looked at together.
const TOGETHER: i64 = 100;
/// Sessions that are counted at most.
const COUNTED: i64 = 10_000;
const TITLES: usize = 10;

/// A rule as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Rule {
    name: String,
    days: u32,
    project: Option<String>,
    agent: Option<String>,
    larger_than: Option<u64>,
    on: bool,
    /// Sessions whose last activity was before it were looked at.
    done: Micros,
}

/// Reads the rules. What another version wrote and we can't read deletes nothing.
fn read(stored: Option<String>) -> Vec<Rule> {
    stored.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

impl Rule {
    /// Sessions whose time has come.
    fn filter(&self, now: Micros) -> RestingFilter {
        let end = Micros(now.0 - i64::from(self.days) * DAY);
        RestingFilter { last_at: self.done..end, project: self.project.clone(), agent: self.agent.clone() }
    }

    fn is_about(&self, session: &Resting) -> bool {
        self.larger_than.is_none_or(|bytes| session.bytes > bytes)
    }
}

/// Returns the sessions that a rule would delete now.
async fn due(hub: &Hub, rule: &Rule, now: Micros) -> Result<RetentionDue, Problem> {
    let mut due = RetentionDue::default();
    for session in hub.workspace.resting(&rule.filter(now), COUNTED).await.map_err(problem)? {
        if rule.is_about(&session) {
            due.sessions += 1;
            due.messages += session.messages;
            due.bytes += session.bytes;
            if due.titles.len() < TITLES {
                due.titles.push(session.title);
            }
        }
    }
    Ok(due)
}

/// Applies the rules each hour, for as long as the hub lives.
pub async fn work(hub: Hub) {
    let mut hours = tokio::time::interval(PAUSE);
    while hub.shutdown.run_until_cancelled(hours.tick()).await.is_some() {
        if let Err(problem) = apply(&hub, clock::now()).await
            && !hub.shutdown.is_cancelled()
        {
            tracing::warn!(%problem, "the rules of retention can't be applied");
        }
    }
}

/// Deletes what is due by the rules that are on, and tells of it. Returns how many sessions.
pub async fn apply(hub: &Hub, now: Micros) -> Result<u64, Problem> {
    let mut all = 0;
    for rule in read(hub.workspace.meta(KEY).await.map_err(problem)?).into_iter().filter(|rule| rule.on) {
        let deleted = apply_rule(hub, rule.clone(), now).await?;
        all += deleted;
        if deleted > 0 {
            let event = HostEvent::SessionsRetired { rule: rule.name, sessions: deleted };
            hub.tell_all(&HostMessage::new(&event)).await;
        }
    }
    Ok(all)
}

async fn apply_rule(hub: &Hub, mut rule: Rule, now: Micros) -> Result<u64, Problem> {
    let mut deleted = 0;
    loop {
        let (filter, before) = (rule.filter(now), deleted);
        let sessions = hub.workspace.resting(&filter, TOGETHER).await.map_err(problem)?;
        for session in sessions.iter().filter(|session| rule.is_about(session)) {
            let mut edit = LiveEdit::new(session.id.clone());
            edit.deleted_at = Some(Some(now));
            let what = Event::SessionDeleted { session: session.id.to_string() };
            edit.note = Some(Note { at: now, who: Actor::Verbatim, what });
            match hub.writer.write(LiveWrite::Edit(Box::new(edit))).await {
                Ok(_) => deleted += 1,
                Err(Failure::Refused(Refusal::NoSession | Refusal::Deleted { .. })) => {}
                Err(Failure::Problem(problem)) => return Err(problem),
                Err(Failure::Refused(_)) => return Err(Problem::internal()),
            }
        }
        let is_last = (sessions.len() as i64) < TOGETHER;
        // Of the same moment there may be more: those that stay are looked at again, unless all of them stay.
        let least = if deleted > before { rule.done } else { Micros(rule.done.0 + 1) };
        rule.done = match sessions.last() {
            Some(last) if !is_last => last.last_at.max(least),
            _ => filter.last_at.end.max(rule.done),
        };
        note(hub, &rule).await?;
        if is_last {
            return Ok(deleted);
        }
    }
}

/// Notes how far a rule is, unless a person changed it meanwhile.
async fn note(hub: &Hub, rule: &Rule) -> Result<(), Problem> {
    let change = |stored| {
        let mut rules = read(stored);
        let own = rules.iter_mut().find(|it| Rule { done: rule.done, ..(**it).clone() } == *rule);
        let Some(own) = own else { return (None, None) };
        own.done = rule.done;
        (serde_json::to_string(&rules).ok(), None)
    };
    hub.workspace.change_meta(KEY, clock::now(), change).await.map_err(problem).map(drop)
}
