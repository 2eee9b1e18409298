//! Notices that agents get at the beginning of each run: a form for each, and one to add another.

use crate::part::{Part, part};
use crate::send::{address, as_, attribute, body, problem, send, send_to_field};
use crate::shared::attr;
use crate::shared::form::As;
use crate::visible;
use api::contract::{RemoveNotice, SetNoticeEndpoint};
use api::notices::{NoticeKind, RunNotice, RunNotices, SetNotice};
use leptos::prelude::*;

/// Kinds of notices, as the page names them.
const KINDS: [(NoticeKind, &str); 3] = [
    (NoticeKind::Text, "These words"),
    (NoticeKind::File, "The text of the file"),
    (NoticeKind::Git, "The state of git in the folders"),
];

pub fn notices(notices: &RunNotices) -> Part {
    let forms: Vec<_> = notices.notices.iter().enumerate().map(|(index, notice)| one(index, notice)).collect();
    let from_file = (!notices.from_file.is_empty()).then(|| {
        let names: Vec<String> = notices.from_file.iter().map(|name| visible::line(name)).collect();
        part! { <p class="cap">{format!("Runs also have the notices in notices.json in the data directory, before these: {}.", names.join(", "))}</p> }
    });
    part! {
        <section id="notices" aria-labelledby="notices-heading">
            <div class="pagehead"><h2 id="notices-heading">"Notices of runs"</h2>
                <p>"Information for agents at the start of each run. It is given for that run only, and not stored as a message."</p></div>
            {from_file}
            {forms}
            <details class="setting" id="new-notice"><summary class="btn tiny">"Add a notice"</summary>
                <form class="answer notice" {..send_to_field(SetNoticeEndpoint).attributes()} autocomplete="off">
                    <div class="answer-field"><label for="notice-name">"Name"</label><input id="notice-name" name="notice" {..as_(As::Address)} maxlength="80" required dir="auto"/></div>
                    {fields("new", NoticeKind::Text, "")}
                    <p class="cap fg-err" role="alert" {..problem("")} hidden></p>
                    <div class="actions"><button type="submit" class="btn primary">"Add"</button></div>
                </form>
            </details>
        </section>
    }
}

/// Filled when a notice was removed.
pub fn removed() -> Part {
    part! {
        <p id="notice-removed" class="callout" role="status" hidden>"The notice "<span data-name=""></span>" was removed. "
            <button type="button" class="btn quiet tiny" {..attribute(attr::HIDES, "notice-removed")}>"Undo"</button></p>
    }
}

fn one(index: usize, notice: &RunNotice) -> Part {
    let name = visible::line(&notice.name);
    let set = || send(SetNoticeEndpoint, [&notice.name]).attributes();
    let removes = send(RemoveNotice, [&notice.name]).done("").attributes();
    // As it is, where it is.
    let undo = SetNotice {
        kind: Some(notice.kind),
        value: Some(notice.value.clone()),
        on: Some(notice.on),
        position: u32::try_from(index).ok(),
    };
    let undo = (
        attribute(attr::SHOWS, "notice-removed"),
        attribute(attr::UNDO, address(SetNoticeEndpoint, [&notice.name])),
        attribute(attr::UNDO_BODY, body(&undo)),
    );
    part! {
        <form class="answer notice setting" {..set()} aria-label=format!("Notice {name}") autocomplete="off">
            <label class="switch"><input type="checkbox" role="switch" name="on" {..as_(As::Switch)} {..set()} checked=notice.on/><span dir="auto">{name.clone()}</span></label>
            {fields(&index.to_string(), notice.kind, &notice.value)}
            <p class="cap fg-err" role="alert" {..problem("")} hidden></p>
            <div class="actions"><button type="submit" class="btn">"Save"</button>
                <button type="button" class="btn quiet" {..removes} {..undo} data-name=name.clone()>"Remove"<span class="sr">{format!(" {name}")}</span></button></div>
        </form>
    }
}

/// The kinds of a notice.
fn fields(of: &str, kind: NoticeKind, value: &str) -> Part {
    let (kind_id, value_id) = (format!("notice-kind-{of}"), format!("notice-value-{of}"));
    let options: Vec<_> = KINDS
        .into_iter()
        .map(|(it, words)| part! { <option value=it.as_str() selected=it == kind>{words}</option> })
        .collect();
    part! {
        <div class="answer-field"><label for=kind_id.clone()>"Agents are told"</label><select id=kind_id name="kind">{options}</select></div>
        <div class="answer-field"><label for=value_id.clone()>"Text, or absolute paths"</label>
            <textarea id=value_id.clone() name="value" rows="2" required dir="auto" aria-describedby=format!("{value_id}-help")>{format!("\n{value}")}</textarea>
            <p class="cap" id=format!("{value_id}-help")>"For a file, one path; for folders, one per line."</p></div>
    }
}
