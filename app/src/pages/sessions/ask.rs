//! What a session that needs a person asks, in its row: with buttons where the row says all that is decided on, else with
//! the way there.

use crate::message::approval::{IN_ITS_TERMINAL, at_once, risk};
use crate::part::{Part, part};
use crate::shell::session_href;
use crate::{figures, unmarked, visible};
use api::messages::{Ask, Entry};
use leptos::prelude::*;
use model::markdown::said_besides;
use model::message_type::approval::{Approval, ApprovalKind};
use model::message_type::tool_call::ToolKind;
use model::{Body, text::one_line};

/// Characters of a command or a question that a row has room for.
const ROOM: usize = 240;
/// What a command is given beside itself, that changes nothing of what it does.
const BESIDE: [&str; 2] = ["description", "timeout"];

/// `answers`: the agent takes what people write here. Of one whose transcript is read the row says where it can be answered.
pub fn ask(ask: &Ask, answers: bool) -> Part {
    let message = &ask.entry.message;
    let there = format!("{}?at={}", session_href(message.session_id.as_str()), message.seq);
    let Some(approval) = Approval::open_in(&message.draft) else {
        let words = one_line(&unmarked::line(&ask.entry.summary), ROOM);
        let (where_to, word) = if answers { (None, "Answer") } else { (Some(IN_ITS_TERMINAL), "Show") };
        let where_to = where_to.map(|words| part! { <span class="cap">{words}</span> });
        return part! { <div class="asks"><span class="asked">{visible::phrase(&words).into_view()}</span><span class="sp"></span>{where_to}{way(&there, word)}</div> };
    };
    let more = (ask.others > 0).then(|| {
        part! { <a class="cap others" href=there.clone()>{format!("and {} more", figures::count(ask.others))}</a> }
    });
    let (words, is_whole) = asked(&approval, &ask.calls);
    // What the agent said with it stands on the session's page alone.
    let is_whole = is_whole && said_besides(&message.draft).is_none();
    let word = match approval.kind {
        ApprovalKind::Permission => "Review",
        ApprovalKind::Plan => "Read the plan",
        ApprovalKind::Question => "Answer",
        ApprovalKind::Form => "Fill in",
    };
    if !answers {
        let where_to = part! { <span class="cap">{IN_ITS_TERMINAL}</span> };
        return part! { <div class="asks">{words}{risk(&approval)}{more}<span class="sp"></span>{where_to}{way(&there, "Show")}</div> };
    }
    match at_once(&approval).filter(|_| is_whole) {
        None => {
            part! { <div class="asks">{words}{risk(&approval)}{more}<span class="sp"></span>{way(&there, word)}</div> }
        }
        Some(buttons) => {
            let in_words = (approval.kind == ApprovalKind::Question).then(|| way(&there, "Answer in words"));
            part! {
                <form class="asks" data-decide=message.draft.id.to_string() data-session=message.session_id.to_string()
                    data-shown=ask.entry.shown_sha256.clone()>
                    {words}{risk(&approval)}{more}
                    <span class="cap fg-warn" role="alert" data-problem="" hidden></span>
                    <span class="sp"></span>
                    {in_words}{buttons}
                </form>
            }
        }
    }
}

fn way(href: &str, word: &'static str) -> Part {
    part! { <a class="btn tiny" href=href.to_owned()>{word}</a> }
}

/// What is asked, and whether that is all there is to know.
fn asked(approval: &Approval, calls: &[Entry]) -> (Part, bool) {
    if let (ApprovalKind::Permission, [call]) = (approval.kind, calls)
        && let Some((command, is_whole)) = command(call)
    {
        let shown = one_line(&command, ROOM);
        let is_whole = is_whole && shown == command;
        return (part! { <code>{visible::html(&shown).into_view()}</code> }, is_whole);
    }
    let question = approval.questions.first().map(|first| &first.question);
    let words = match question.filter(|question| !question.is_empty() && **question != approval.title) {
        Some(question) if approval.title.ends_with(['?', '.', '!', ':']) => format!("{} {question}", approval.title),
        Some(question) => format!("{}: {question}", approval.title),
        None => approval.title.clone(),
    };
    let shown = one_line(&words, ROOM);
    let is_whole = calls.is_empty() && shown == words;
    (part! { <span class="asked">{visible::phrase(&shown).into_view()}</span> }, is_whole)
}

/// The command of a call, and whether it is all that the call is given.
fn command(call: &Entry) -> Option<(String, bool)> {
    let Body::ToolCall(call) = Body::of(&call.message.draft) else { return None };
    let (key, command) = ["command", "cmd"].iter().find_map(|key| Some((*key, call.input.get(*key)?.as_str()?)))?;
    let rest = call.input.keys().all(|name| name == key || BESIDE.contains(&name.as_str()));
    (call.kind() == ToolKind::Execute).then(|| (command.trim().to_owned(), rest))
}
