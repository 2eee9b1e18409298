//! The verbatim lines of a session's files. The bytes of a line are fetched when it is opened.

use super::{copy_button, nothing};
use crate::figures;
use crate::html::Html;
use crate::part::{Part, part};
use crate::shared::{fragments_href, session_href};
use crate::shell::fold_mark;
use crate::visible;
use api::endpoint::segment;
use api::inspector::{RecordPlace, Records};
use api::messages::RecordText;
use leptos::prelude::*;
use model::Session;
use model::text::clip;
use serde_json::Value;

/// Lines that a page has at most.
pub const RECORDS: u32 = 50;
/// Characters of a line that stand in its place until it is opened.
const PREVIEW: usize = 160;
/// Keys whose value names a line. The first one that it has is shown.
const NAMES: [&str; 4] = ["type", "record_type", "kind", "role"];

/// The first page: from the beginning of the first file on, or from the records of message `at` on.
pub fn records(session: &Session, page: &Records, at: Option<i64>) -> Part {
    let whole = format!("{}?panel=records", session_href(session.id.as_str()));
    if page.records.is_empty() {
        return match at {
            Some(_) => part! {
                {nothing("This message wasn't read from a file, so it has no record.")}
                <p class="panel-pad"><a class="link" href=whole>"All records"</a></p>
            },
            None => nothing(
                "This session wasn't read from a file. For sessions from files, the lines are listed here byte for byte.",
            ),
        };
    }
    let words = match at {
        Some(at) => {
            part! { <span class="num">{format!("From the record of message {at} on")}</span><span class="sp"></span><a class="link cap" href=whole>"All records"</a> }
        }
        None => part! { <span>"Lines of its files, byte for byte"</span> },
    };
    part! { <p class="panel-line">{words}</p>{more(session, page)} }
}

/// A page, with the way to the next one.
pub fn more(session: &Session, page: &Records) -> Part {
    let mut file = "";
    let mut rows = Vec::with_capacity(page.records.len());
    for record in &page.records {
        if file != record.path {
            file = &record.path;
            let name = visible::plain(record.path.rsplit('/').next().unwrap_or(&record.path));
            rows.push(part! { <h3 class="panel-pad cut" title=visible::plain(&record.path)>{name}</h3> });
        }
        rows.push(row(session, record));
    }
    let next = page.next.as_ref().map(|next| {
        part! { <details class="earlier" data-load=address(session, next)><summary>"More records"</summary><div></div></details> }
    });
    part! { <section class="records">{rows}</section>{next} }
}

fn address(session: &Session, place: &RecordPlace) -> String {
    let session = fragments_href(session.id.as_str());
    format!("{session}/panel?tab=records&source={}&offset={}", segment(&place.source), place.offset)
}

fn row(session: &Session, record: &RecordText) -> Part {
    let place = RecordPlace { source: record.source.clone(), offset: record.offset };
    let load = format!("{}&one=1", address(session, &place));
    let name = serde_json::from_str::<Value>(&record.text).ok().and_then(|value| {
        let name = NAMES.iter().find_map(|key| value.get(*key)?.as_str().map(str::to_owned));
        name.map(|name| visible::line(&name))
    });
    let preview = if record.is_damaged { DAMAGED.to_owned() } else { visible::line(&clip(&record.text, PREVIEW)) };
    let figures = format!(
        "{} at {}",
        figures::bytes(record.len),
        figures::count(i64::try_from(record.offset).unwrap_or(i64::MAX))
    );
    part! {
        <details class="record" data-load=load data-edits=record.len.to_string()>
            <summary>{fold_mark()}<b>{name.unwrap_or_else(|| "Record".to_owned())}</b>" "<span class="cap num">{figures}</span><span class="cut cap mono" dir="auto">{preview}</span></summary>
            <div></div>
        </details>
    }
}

const DAMAGED: &str = "These bytes are damaged: they differ from those that were imported";

/// One line, as it is and as readable JSON.
pub fn one(record: &RecordText) -> Part {
    if record.is_damaged {
        return nothing(DAMAGED);
    }
    let raw = pre("raw", &record.text);
    let cut = record.cut.then(|| part! { <p class="cap">"A part of a longer line"</p> });
    let copy = copy_button(record.text.clone());
    // A number with many digits would lose some of them: readable JSON is for reading.
    let Some(pretty) =
        serde_json::from_str::<Value>(&record.text).ok().and_then(|of| serde_json::to_string_pretty(&of).ok())
    else {
        return part! { <div class="forms"><p class="panel-line">{copy}</p>{cut}{raw}</div> };
    };
    let group = format!("form-{}-{}", record.source, record.offset);
    let choice = |word: &'static str, words: &'static str, checked: bool| {
        part! { <label><input type="radio" name=group.clone() value=word checked=checked/>{words}</label> }
    };
    part! {
        <div class="forms">
            <div class="panel-line"><fieldset><legend class="sr">"Show the record as"</legend>{choice("pretty", "Readable", true)}{choice("raw", "Raw", false)}</fieldset><span class="sp"></span>{copy}</div>
            {cut}{pre("pretty", &pretty)}{raw}
        </div>
    }
}

fn pre(form: &'static str, text: &str) -> Part {
    let mut html = Html::new();
    html.tag("<pre tabindex=\"0\"").attr("class", &format!("term {form}")).tag(">").text(text).tag("</pre>");
    part! { {html.into_view()} }
}
