//! The rules of retention: one small value of the workspace.

use super::{KEY, Rule, due, read};
use crate::basics::{clock, problem};
use crate::context::Scoped;
use api::Problem;
use api::retention::{RetentionPath, RetentionRule, RetentionRules, SetRetentionRule};
use model::Micros;
use model::audit::{Change, Event};
use serde_json::Value;

const MOST: usize = 50;
const NAME_CHARS: usize = 80;
const MOST_DAYS: u32 = 36_500;

pub async fn list_retention(scoped: &Scoped) -> Result<RetentionRules, Problem> {
    let stored = read(scoped.hub.workspace.meta(KEY).await.map_err(problem)?);
    let mut rules = Vec::with_capacity(stored.len());
    for rule in stored {
        let due = if rule.on { None } else { Some(due(&scoped.hub, &rule, clock::now()).await?) };
        let Rule { name, days, project, agent, larger_than, on, .. } = rule;
        rules.push(RetentionRule { name, days, project, agent, larger_than, on, due });
    }
    Ok(RetentionRules { rules })
}

pub async fn set_retention(
    scoped: &Scoped,
    path: &RetentionPath,
    input: SetRetentionRule,
) -> Result<RetentionRules, Problem> {
    let name = path.rule.trim().to_owned();
    if name.is_empty() || name.chars().count() > NAME_CHARS || name.chars().any(char::is_control) {
        return Err(Problem::field("rule", &format!("one line of 1 to {NAME_CHARS} characters")));
    }
    let rules = read(scoped.hub.workspace.meta(KEY).await.map_err(problem)?);
    let old = rules.iter().find(|rule| rule.name == name);
    if old.is_none() && rules.len() >= MOST {
        let problem = Problem::field("rule", &format!("one of at most {MOST} rules"));
        return Err(problem.hint("Remove or change an existing one"));
    }
    let days = input.days.or(old.map(|old| old.days)).unwrap_or_default();
    if !(1..=MOST_DAYS).contains(&days) {
        return Err(Problem::field("/days", &format!("a number from 1 to {MOST_DAYS}")));
    }
    let words = |given: Option<String>, old: Option<String>| match given {
        Some(given) => Some(given.trim().to_owned()).filter(|given| !given.is_empty()),
        None => old,
    };
    let new = Rule {
        days,
        project: words(input.project, old.and_then(|old| old.project.clone())),
        agent: words(input.agent, old.and_then(|old| old.agent.clone())),
        larger_than: input.larger_than.or(old.and_then(|old| old.larger_than)).filter(|bytes| *bytes > 0),
        on: input.on.or(old.map(|old| old.on)).unwrap_or(false),
        done: Micros::default(),
        name,
    };
    // A rule that is about the same sessions goes on where it is: what a person restored stays.
    let done = old.filter(|old| Rule { on: new.on, done: new.done, ..(*old).clone() } == new).map(|old| old.done);
    change(scoped, new.name.clone(), Some(Rule { done: done.unwrap_or_default(), ..new })).await
}

pub async fn remove_retention(scoped: &Scoped, path: &RetentionPath) -> Result<RetentionRules, Problem> {
    let rules = read(scoped.hub.workspace.meta(KEY).await.map_err(problem)?);
    if !rules.iter().any(|rule| rule.name == path.rule) {
        return Err(Problem::not_found("rule"));
    }
    change(scoped, path.rule.clone(), None).await
}

/// Stores what becomes of one rule. What another tab changes of the others at the same time stays.
async fn change(scoped: &Scoped, name: String, new: Option<Rule>) -> Result<RetentionRules, Problem> {
    let change = |stored| {
        let mut rules = read(stored);
        let place = rules.iter().position(|rule| rule.name == name);
        let old = place.map(|place| rules.remove(place));
        if let Some(new) = &new {
            rules.insert(place.unwrap_or(rules.len()), new.clone());
        }
        let field = format!("Retention rule {name}");
        let changes = vec![Change { field, old: described(old.as_ref()), new: described(new.as_ref()) }];
        (serde_json::to_string(&rules).ok(), (old != new).then_some(Event::PreferencesChanged { changes }))
    };
    scoped.signed().await.change_meta(KEY, clock::now(), change).await.map_err(problem)?;
    list_retention(scoped).await
}

/// Returns a rule as the audit log records it.
fn described(rule: Option<&Rule>) -> Value {
    let text = rule.map(|rule| {
        let state = if rule.on { "on" } else { "off" };
        let mut text = format!("{state}: after {} days", rule.days);
        for (what, value) in [("project", &rule.project), ("agent", &rule.agent)] {
            if let Some(value) = value {
                text.push_str(&format!(", {what} {}", model::text::one_line(value, 200)));
            }
        }
        if let Some(bytes) = rule.larger_than {
            text.push_str(&format!(", more than {bytes} bytes"));
        }
        text
    });
    text.unwrap_or_default().into()
}
