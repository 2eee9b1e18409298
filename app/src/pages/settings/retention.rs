//! Rules by which old sessions are deleted: a form for each, with what it would delete, and one to add another.

use crate::figures;
use crate::part::{Part, part};
use crate::send::{address, as_, attribute, body, problem, send, send_to_field};
use crate::shared::attr;
use crate::shared::form::As;
use crate::visible;
use api::contract::{RemoveRetention, SetRetention};
use api::retention::{RetentionDue, RetentionRule, RetentionRules, SetRetentionRule};
use leptos::prelude::*;

pub fn retention(rules: &RetentionRules) -> Part {
    let forms: Vec<_> = rules.rules.iter().enumerate().map(|(index, rule)| one(index, rule)).collect();
    let none = rules
        .rules
        .is_empty()
        .then(|| part! { <p class="cap">"Everything is kept. Add a rule to delete sessions that rest for long."</p> });
    part! {
        <section id="retention" aria-labelledby="retention-heading">
            <div class="pagehead"><h2 id="retention-heading">"Retention"</h2>
                <p>"Rules that delete old sessions, once an hour. Pinned sessions stay, and so do those at work or with a request for you. A deleted session can be restored for 30 days, and stays then."</p></div>
            {none}
            {forms}
            <details class="setting" id="new-retention"><summary class="btn tiny">"Add a rule"</summary>
                <form class="answer notice" {..send_to_field(SetRetention).attributes()} autocomplete="off">
                    <div class="answer-field"><label for="retention-name">"Name"</label><input id="retention-name" name="rule" {..as_(As::Address)} maxlength="80" required dir="auto"/></div>
                    {fields("new", None)}
                    <p class="cap">"It is off at first: the page shows what it would delete."</p>
                    <p class="cap fg-err" role="alert" {..problem("")} hidden></p>
                    <div class="actions"><button type="submit" class="btn primary">"Add"</button></div>
                </form>
            </details>
        </section>
    }
}

/// Filled when a rule was removed.
pub fn removed() -> Part {
    part! {
        <p id="retention-removed" class="callout" role="status" hidden>"The rule "<span data-name=""></span>" was removed. "
            <button type="button" class="btn quiet tiny" {..attribute(attr::HIDES, "retention-removed")}>"Undo"</button></p>
    }
}

fn one(index: usize, rule: &RetentionRule) -> Part {
    let name = visible::line(&rule.name);
    let set = || send(SetRetention, [&rule.name]).attributes();
    let removes = send(RemoveRetention, [&rule.name]).done("").attributes();
    let undo = SetRetentionRule {
        days: Some(rule.days),
        project: rule.project.clone(),
        agent: rule.agent.clone(),
        larger_than: rule.larger_than,
        on: Some(rule.on),
    };
    let undo = (
        attribute(attr::SHOWS, "retention-removed"),
        attribute(attr::UNDO, address(SetRetention, [&rule.name])),
        attribute(attr::UNDO_BODY, body(&undo)),
    );
    part! {
        <form class="answer notice setting" {..set()} aria-label=format!("Rule {name}") autocomplete="off">
            <label class="switch"><input type="checkbox" role="switch" name="on" {..as_(As::Switch)} {..set()} checked=rule.on/><span dir="auto">{name.clone()}</span></label>
            {rule.due.as_ref().map(due)}
            {fields(&index.to_string(), Some(rule))}
            <p class="cap fg-err" role="alert" {..problem("")} hidden></p>
            <div class="actions"><button type="submit" class="btn">"Save"</button>
                <button type="button" class="btn quiet" {..removes} {..undo} data-name=name.clone()>"Remove"<span class="sr">{format!(" {name}")}</span></button></div>
        </form>
    }
}

/// What a rule that is off would delete.
fn due(due: &RetentionDue) -> Part {
    if due.sessions == 0 {
        return part! { <p class="cap">"Off. Switched on, it would delete nothing now."</p> };
    }
    let counted = |number: u64, noun| figures::counted(i64::try_from(number).unwrap_or(i64::MAX), noun);
    let titles: Vec<_> = due.titles.iter().map(|title| part! { <li dir="auto">{visible::line(title)}</li> }).collect();
    let more = due.sessions.saturating_sub(due.titles.len() as u64);
    let more = (more > 0).then(|| part! { <li>{format!("and {more} more")}</li> });
    part! {
        <p class="cap">{format!("Off. Switched on, it would delete {} with {}, {}:",
            counted(due.sessions, "session"), counted(due.messages, "message"), figures::bytes(due.bytes))}</p>
        <ul class="cap">{titles}{more}</ul>
    }
}

fn fields(of: &str, rule: Option<&RetentionRule>) -> Part {
    let id = |name: &str| format!("retention-{name}-{of}");
    let days = rule.map_or(365, |rule| rule.days);
    let words = |value: Option<&Option<String>>| value.cloned().flatten().unwrap_or_default();
    let megabytes = rule.and_then(|rule| rule.larger_than).unwrap_or_default() as f64 / 1e6;
    part! {
        <div class="answer-field"><label for=id("days")>"Days without activity"</label>
            <input id=id("days") name="days" type="number" min="1" max="36500" required {..as_(As::Number)} value=days.to_string()/></div>
        <div class="answer-field"><label for=id("project")>"Only this project"</label>
            <input id=id("project") name="project" dir="auto" placeholder="All" value=words(rule.map(|rule| &rule.project))/></div>
        <div class="answer-field"><label for=id("agent")>"Only this agent"</label>
            <input id=id("agent") name="agent" dir="auto" placeholder="All" value=words(rule.map(|rule| &rule.agent))/></div>
        <div class="answer-field"><label for=id("size")>"Only sessions larger than, in MB"</label>
            <input id=id("size") name="larger_than" type="number" min="0" step="any" {..as_(As::Megabytes)} value=megabytes.to_string()/></div>
    }
}
