//! Pieces that cards fetch when they are asked for: the difference of one edit, where a message came from and went to,
//! and what it was made from.

use crate::clock::{Clock, moment};
use crate::figures;
use crate::html::Html;
use crate::json_tree;
use crate::markdown::{Breaks, Grown, Settled, code_lines, typed};
use crate::message::AT_FIRST;
use crate::message::code_edit::{DiffStyle, Extent, diff_html};
use crate::part::{Part, part};
use crate::patch::CONTEXT;
use crate::render::render_part;
use crate::shared::{fragments_href, session_href};
use crate::visible;
use api::channels::{DeliveryState, MessageDelivery};
use api::messages::{Entry, MessageDetail, RecordText};
use leptos::prelude::*;
use model::{Body, Draft, Micros, Provenance, Role, Status, declared, envelope::edit_info};
use serde_json::{Map, Value};

/// The difference of the edit at `index` of a `CODE_EDIT`. None if the message has no such edit.
pub fn edit(entry: &Entry, index: usize) -> Option<String> {
    let draft = &entry.message.draft;
    let Body::CodeEdit(code_edit) = entry.body() else { return None };
    let edit = code_edit.edits.get(index)?;
    let info = edit_info(draft.metadata.as_ref(), index);
    let mut html = Html::new();
    let texts = diff::texts(edit, &info).among(code_edit.edits.len());
    match (texts.file_diff(edit, CONTEXT), texts.patch) {
        (Some(diff), _) => {
            html.html(&diff_html(&diff, DiffStyle::of(Extent::All)).0);
        }
        (None, Some(patch)) => {
            html.tag("<pre class=\"term\" tabindex=\"0\">");
            code_lines(&mut html, "diff", patch);
            html.tag("</pre>");
        }
        (None, None) => {
            html.tag("<p class=\"line\">What changed was not recorded</p>");
        }
    }
    Some(html.into_string())
}

/// Where a message came from and went to, its envelope, and the verbatim bytes that it came from.
pub fn records(detail: &MessageDetail, told: &[MessageDelivery], clock: &Clock) -> String {
    let mut html = Html::new();
    html.tag("<div class=\"raw\">");
    if !told.is_empty() || origin_of(&detail.entry.message.draft).is_some() {
        html.html(&render_part(|| places(&detail.entry.message.draft, told, clock)));
    }
    if let Some(metadata) = &detail.entry.message.draft.metadata {
        html.tag("<p class=\"cap\">Metadata</p>").html(&json_tree::tree(&Value::Object(metadata.clone())));
    }
    if detail.records.is_empty() {
        html.tag("<p class=\"cap\">This message was not imported: there is no record of it</p>");
    }
    for record in &detail.records {
        html.tag("<p class=\"cap\">").text(&origin(record)).tag("</p>");
        if record.is_damaged {
            html.tag("<p class=\"cap\">").text(DAMAGED).tag("</p>");
            continue;
        }
        match serde_json::from_str::<Value>(&record.text) {
            Ok(value) => html.html(&json_tree::tree(&value)),
            Err(_) => html.tag("<pre class=\"term\" tabindex=\"0\">").text(&record.text).tag("</pre>"),
        };
    }
    let message = &detail.entry.message;
    let address = format!("{}/records/{}?as=text", fragments_href(message.session_id.as_str()), message.seq);
    html.tag("<p class=\"cap\"><a target=\"_blank\"").attr("href", &address);
    html.tag(">Open all of it as text</a>");
    if !detail.records.is_empty() {
        let session = session_href(message.session_id.as_str());
        let file = format!("{session}?panel=records&at={seq}#m{seq}", seq = message.seq);
        html.tag(" <a").attr("href", &file).tag(">Show it in its file</a>");
    }
    html.tag("</p></div>");
    html.into_string()
}

/// By which channel a message came, and what the others were told of it.
fn places(draft: &Draft, told: &[MessageDelivery], clock: &Clock) -> Part {
    let came = origin_of(draft).map(|(name, kind)| {
        part! { <p class="cap">{format!("Came from {} ({}), written by {}", visible::line(name), visible::line(kind), visible::line(&draft.sender))}</p> }
    });
    let rows: Vec<_> = told.iter().map(|told| delivery(told, clock)).collect();
    let table = (!rows.is_empty()).then(|| {
        part! {
            <div class="table-wrap"><table class="table compact">
                <thead><tr><th scope="col">"Told in"</th><th scope="col">"State"</th></tr></thead>
                <tbody>{rows}</tbody>
            </table></div>
        }
    });
    part! {
        <div class="told">{came}{table}<p class="cap"><a class="link" href="/settings#channels">"Settings of channels"</a></p></div>
    }
}

fn delivery(told: &MessageDelivery, clock: &Clock) -> Part {
    let delivery = &told.delivery;
    let error = delivery.error.as_deref().map(visible::line).unwrap_or_default();
    let at = |at: Option<Micros>| at.map(|at| moment(clock, at, "num mut"));
    let state = match delivery.state {
        DeliveryState::Pending if delivery.attempts > 0 => part! {
            <span class="fg-warn">{format!("Not accepted yet, after {}: {error}", figures::counted(delivery.attempts, "attempt"))}</span>". Tried again "{at(delivery.next_at)}
        },
        DeliveryState::Pending => part! { "Waiting since "{at(Some(delivery.queued_at))} },
        DeliveryState::Sent => part! { "Sent "{at(delivery.sent_at)} },
        DeliveryState::Dead => part! { <span class="fg-err">{format!("Refused: {error}")}</span> },
        DeliveryState::Cleared => part! { <span class="mut">{format!("Given up: {error}")}</span> },
    };
    part! { <tr><th scope="row">{visible::line(&told.name)}</th><td>{state}</td></tr> }
}

/// Name and kind of the channel by which a person's message came.
fn origin_of(draft: &Draft) -> Option<(&str, &str)> {
    let is_persons = draft.role == Role::User && draft.provenance == Provenance::Person;
    let channel = draft.metadata.as_ref().filter(|_| is_persons)?.get("channel")?;
    Some((channel.get("name")?.as_str()?, channel.get("kind")?.as_str()?))
}

/// Draws metadata and records as plain text, whole: the trees leave out what is deep, long or far down.
pub fn records_text(detail: &MessageDetail) -> String {
    let metadata = detail.entry.message.draft.metadata.clone().map(Value::Object);
    let metadata = metadata.map(|it| format!("Metadata\n{}", serde_json::to_string_pretty(&it).unwrap_or_default()));
    let text = |record: &RecordText| if record.is_damaged { DAMAGED.to_owned() } else { record.text.clone() };
    let records = detail.records.iter().map(|record| format!("{}\n{}", origin(record), text(record)));
    metadata.into_iter().chain(records).collect::<Vec<_>>().join("\n\n")
}

/// Everything that a message says, as plain text: of a tool call what it was given and what it gave back, of a chart
/// its data as CSV.
pub fn whole_text(entry: &Entry, edit: Option<usize>) -> String {
    match entry.body() {
        Body::CodeEdit(edits) => crate::message::code_edit::patch(&entry.message.draft, &edits.edits, edit),
        Body::ToolCall(call) => crate::message::tool_call::whole_text(call),
        Body::Chart(chart) => chart.table().to_csv(),
        _ => entry.message.draft.content.clone(),
    }
}

/// A first document that declares the type of a message, made from its payload: JSON to be changed.
pub fn type_template(entry: &Entry) -> String {
    let body = entry.body();
    let payload = body.payload();
    let metadata = entry.message.draft.metadata.as_ref();
    let version = metadata.and_then(|metadata| metadata.get("version")?.as_i64()).unwrap_or(1);
    let none = Map::new();
    let document = declared::starter(body.message_type(), version, payload.as_object().unwrap_or(&none));
    serde_json::to_string_pretty(&document).unwrap_or_default()
}

/// A text that is being written, from one of its blocks on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Growth {
    /// The first block that is here.
    pub from: usize,
    /// How many blocks the text has.
    pub blocks: usize,
    pub html: String,
    /// Where in it each block begins.
    starts: Vec<usize>,
}

impl Growth {
    /// Returns the part of this that differs from `told`. The last block of `told` is included, because the reader
    /// doesn't know that it is complete.
    #[must_use]
    pub fn beyond(&self, told: &Self) -> Self {
        let same = self.parts().zip(told.parts()).take_while(|(now, before)| now == before).count();
        let same = if self.from == told.from { same.min(told.starts.len().saturating_sub(1)) } else { 0 };
        self.without(same)
    }

    /// Leaves out the first blocks.
    fn without(&self, first: usize) -> Self {
        let start = self.starts.get(first).copied().unwrap_or(self.html.len());
        Self {
            from: self.from + first,
            blocks: self.blocks,
            html: self.html.get(start..).unwrap_or_default().to_owned(),
            starts: self.starts.iter().skip(first).map(|at| at - start).collect(),
        }
    }

    fn parts(&self) -> impl Iterator<Item = &str> {
        let ends = self.starts.iter().copied().skip(1).chain([self.html.len()]);
        self.starts.iter().zip(ends).filter_map(|(start, end)| self.html.get(*start..end))
    }
}

/// Returns the new part of a streaming text: all that may have changed since `settled` was computed, and the part of it
/// that can still change. None if the text is complete or too long, so that the whole message must be drawn.
pub fn growth(entry: &Entry, settled: &mut Settled) -> Option<(Growth, Growth)> {
    let (all, open) = grown(entry, settled)?;
    let still_open = all.without(open);
    Some((all, still_open))
}

/// All of a text that is being written, from one of its blocks on.
pub fn growth_from(entry: &Entry, block: usize) -> Option<Growth> {
    grown(entry, &mut Settled::default()).map(|(all, _)| all.without(block))
}

/// Returns the unsettled part, and its number of blocks.
fn grown(entry: &Entry, settled: &mut Settled) -> Option<(Growth, usize)> {
    let draft = &entry.message.draft;
    let plain = draft.role == Role::Assistant && matches!(entry.body(), Body::Text(_));
    if draft.status != Status::Streaming || !plain {
        return None;
    }
    let scope = entry.message.seq.to_string();
    let Grown { html, from, starts, open } = settled.grow(&draft.content, Breaks::Soft, &scope, AT_FIRST)?;
    Some((Growth { from, blocks: from + starts.len(), html: html.into_string(), starts }, open - from))
}

/// The text of a person who is still writing it, as their message will look.
pub fn prose(text: &str) -> String {
    typed(text, AT_FIRST).0.into_string()
}

const DAMAGED: &str = "These bytes are damaged: they differ from those that were imported";

fn origin(record: &RecordText) -> String {
    let cut = if record.cut { ", its first MiB" } else { "" };
    let file = record.path.rsplit('/').next().unwrap_or(&record.path);
    format!("{file}, {} bytes at {}{cut}", record.len, record.offset)
}
