//! The request of a session in its row: with buttons if the row shows everything that the decision covers, otherwise
//! with a link.

use crate::message::approval::{Covered, IN_ITS_TERMINAL, at_once, risk};
use crate::part::{Part, part};
use crate::shared::session_href;
use crate::{figures, unmarked, visible};
use api::messages::{Ask, AskedCall};
use leptos::prelude::*;
use model::message_type::approval::{Approval, ApprovalKind};
use model::text::one_line;

/// Characters of a command or a question that a row has room for.
const ROOM: usize = 240;

/// `answers`: the agent takes what people write here. Of one whose transcript is read the row says where it can be
/// answered.
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
    let covered = Covered::of(&ask.entry, &approval).filter(|_| answers);
    let whole =
        covered.as_ref().and_then(|covered| Some((covered.line()?, at_once(&approval)?, covered.sha256().to_owned())));
    let word = match approval.kind {
        ApprovalKind::Permission => "Review",
        ApprovalKind::Plan => "Read the plan",
        ApprovalKind::Question => "Answer",
        ApprovalKind::Form => "Fill in",
    };
    let words = asked(&approval, &ask.entry.calls);
    if !answers {
        let where_to = part! { <span class="cap">{IN_ITS_TERMINAL}</span> };
        return part! { <div class="asks">{words}{risk(&approval)}{more}<span class="sp"></span>{where_to}{way(&there, "Show")}</div> };
    }
    let Some((line, buttons, sha256)) = whole else {
        return part! { <div class="asks">{words}{risk(&approval)}{more}<span class="sp"></span>{way(&there, word)}</div> };
    };
    let in_words = (approval.kind == ApprovalKind::Question).then(|| way(&there, "Answer in text"));
    part! {
        <form class="asks" data-decide=message.draft.id.to_string() data-session=message.session_id.to_string() data-shown=sha256>
            {line}{risk(&approval)}{more}
            <span class="cap fg-warn" role="alert" data-problem="" hidden></span>
            <span class="sp"></span>
            {in_words}{buttons}
        </form>
    }
}

/// Returns true if an agent in its own terminal waits for the answer here.
pub fn is_awaited(ask: &Ask) -> bool {
    model::hook::is_awaited(&ask.entry.message.draft)
}

fn way(href: &str, word: &'static str) -> Part {
    part! { <a class="btn tiny" href=href.to_owned()>{word}</a> }
}

/// Draws a shortened request, for a row that links to it.
fn asked(approval: &Approval, calls: &[AskedCall]) -> Part {
    if let (ApprovalKind::Permission, [call]) = (approval.kind, calls)
        && let Some(command) = ["command", "cmd"].iter().find_map(|key| call.input.get(*key)?.as_str())
    {
        return part! { <code>{visible::html(&one_line(command, ROOM)).into_view()}</code> };
    }
    let question = approval.questions.first().map(|first| &first.question);
    let words = match question.filter(|question| !question.is_empty() && **question != approval.title) {
        Some(question) if approval.title.ends_with(['?', '.', '!', ':']) => format!("{} {question}", approval.title),
        Some(question) => format!("{}: {question}", approval.title),
        None => approval.title.clone(),
    };
    part! { <span class="asked">{visible::phrase(&one_line(&words, ROOM)).into_view()}</span> }
}
