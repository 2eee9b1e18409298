//! APPROVAL: what waits for a person, to be read. A decided one folds to a line, but the words of a refusal stay.

mod answer;
mod covered;
mod edit;
mod proposed;

pub(crate) use answer::{at_once, dismissal};
pub(crate) use covered::Covered;

use super::{
    Card,
    parts::{Acts, Folded, Mark, ShowAll, State},
    text::is_long,
};
use crate::clock::{Clock, moment};
use crate::exact::{self, Kind};
use crate::icon::{Glyph, Icon};
use crate::unmarked;
use crate::visible;
use leptos::prelude::*;
use model::{
    Payload as _, Status,
    closed::Closed,
    hook::{Fallback, HookAsk, is_awaited},
    message_type::approval::{self, Answer, ApprovalKind, ApprovalState, BY_ARCHIVE, Choice, Decision, Question},
    text::one_line,
};

/// Whose store it is, as decisions name them: whoever reads this.
pub(crate) const OWNER: &str = "owner";
/// Marks decisions by a rule that "always" created.
const BY_RULE: &str = "rule";
/// Where what a transcript's agent asks is answered.
pub(crate) const IN_ITS_TERMINAL: &str = "Answer it in the agent's terminal";
/// Characters of a title that the head has room for.
const IN_HEAD: usize = 240;
/// Characters of what was asked and of what was said in a decided one's line, and of those that its lines have room
/// for.
const ASKED: usize = 240;
const SAID: usize = 400;
const FITS: usize = 110;

#[component]
pub fn Approval(card: Card, approval: approval::Approval) -> impl IntoView {
    if approval.state == ApprovalState::Open && card.draft().status == Status::Retracted {
        let title = one_line(&approval.title, ASKED);
        view! { <p class="line">"Retracted: "{exact::phrase(&title).into_view()}</p> }.into_any()
    } else if approval.state == ApprovalState::Open {
        open(&card, &approval).into_any()
    } else {
        decided(&card, &approval).into_any()
    }
}

fn open(card: &Card, approval: &approval::Approval) -> impl IntoView {
    let question = approval.kind != ApprovalKind::Permission;
    let (state, glyph) = if question { ("question", Glyph::ASK) } else { ("needs", Glyph::NEEDS) };
    let word = match approval.kind {
        ApprovalKind::Permission => "Needs you",
        ApprovalKind::Question => "Question for you",
        ApprovalKind::Plan => "Plan to approve",
        ApprovalKind::Form => "Form to fill in",
    };
    // An agent in a terminal of its own may take no messages, and wait for what it asks.
    let answers = (card.options.answers || is_awaited(card.draft())) && !card.printed();
    let covered = Covered::of(&card.entry, approval).filter(|_| answers);
    let title = fits_head(&approval.title)
        .then(|| view! { <span class="title">{exact::phrase(&approval.title).into_view()}</span> });
    // The card may stand on another session's page.
    let session = card.options.nested.then(|| card.options.session_id.as_str());
    let given = match &covered {
        Some(covered) => {
            view! { <div class="body">{covered.blocks(session).into_view()} {place(card, approval)}</div> }.into_any()
        }
        None => body(card, approval).into_any(),
    };
    let answer = match &covered {
        Some(covered) => Some(answer::form(card, approval, covered).into_any()),
        None if answers => Some(answer::only_denial(card).into_any()),
        None if card.is_observed() => {
            let dismissal = (!card.printed()).then(|| dismissal(&card.draft().id).into_view());
            Some(view! { <div class="line note-line"><p>{IN_ITS_TERMINAL}</p> {dismissal}</div> }.into_any())
        }
        None => None,
    };
    view! {
        <section class="card approval" data-state=state tabindex="-1">
            <div class="head">
                <Icon glyph />
                <b>{word}</b>
                {title}
                <span class="sp"></span>
                {risk(approval)}
                {moment(&Clock::utc(card.options.now), card.draft().created_at, "cap")}
            </div>
            {given}
            {answer}
        </section>
    }
}

/// Has the head room for all of a title? A longer one, or one of several lines, stands in the body.
fn fits_head(title: &str) -> bool {
    title.chars().nth(IN_HEAD).is_none() && !title.contains('\n')
}

/// A decided one folds to a line. A person's words are a message of theirs, which the agent answers next: in the open.
fn decided(card: &Card, approval: &approval::Approval) -> impl IntoView {
    let words = said(approval);
    let refused = words.is_some() && approval.state == ApprovalState::Denied;
    let told = refused && approval.kind == ApprovalKind::Permission && !holds_more(approval, false);
    view! {
        {(!told).then(|| line(card, approval))}
        {words.filter(|_| refused).map(|words| refusal(card, approval, words))}
    }
}

/// Returns a person's free text.
fn said(approval: &approval::Approval) -> Option<&str> {
    approval.decision.as_ref()?.text.as_deref().map(str::trim).filter(|words| !words.is_empty())
}

/// Is there anything to unfold, beside a person's words? `told` says that its line gives the question and the answer.
fn holds_more(approval: &approval::Approval, told: bool) -> bool {
    let decision = approval.decision.as_ref();
    let is_title = |question: &Question| told && question.options.is_empty() && question.question == approval.title;
    approval.body.as_deref().is_some_and(|body| !body.trim().is_empty())
        || !approval.questions.iter().all(is_title)
        || !approval.fields.is_empty()
        || (told && approval.title.chars().count() > FITS)
        || decision.is_some_and(|decision| decision.edited_input.is_some() || decision.rule.is_some())
}

fn line(card: &Card, approval: &approval::Approval) -> AnyView {
    let mark = mark(approval);
    let state = mark.state;
    let by = decided_by(approval);
    let refused = approval.state == ApprovalState::Denied;
    let of_permission = approval.kind == ApprovalKind::Permission;
    // The state shows what was allowed; only the text has further words.
    let answer = if of_permission { said(approval).unwrap_or_default().to_owned() } else { approval.answer() };
    let shown = !answer.is_empty() && !refused;
    let asked = if shown {
        let asked = one_line(&approval.title, ASKED);
        let asked = match approval.questions.len() {
            0 | 1 => asked,
            many => format!("{asked} (and {} more)", many - 1),
        };
        let answer = format!("→ {}", one_line(&answer, SAID));
        view! {
            <span class="told">
                <span class="asked">{visible::phrase(&asked).into_view()}</span>
                <span class="said">{visible::phrase(&answer).into_view()}</span>
            </span>
        }
        .into_any()
    } else {
        // "Run a command": which one says what it is about.
        let about = approval.body.as_deref().filter(|_| of_permission).map(begins_with);
        let about = about.map(|about| one_line(&about, ASKED)).filter(|about| !about.is_empty());
        view! {
            <span class="cut">{visible::phrase(&one_line(&approval.title, 160)).into_view()}</span>
            {about.map(|about| view! { <code class="cut mut">{visible::html(&about).into_view()}</code> })}
        }
        .into_any()
    };
    let rule = approval.decision.as_ref().and_then(|decision| decision.rule.clone());
    let words = said(approval).filter(|_| !refused);
    // Nothing unfolds if the line shows everything.
    let is_told = shown && answer.chars().count() <= FITS;
    let more = (words.is_some() && !is_told) || holds_more(approval, shown);
    let fallback = HookAsk::of(card.draft()).and_then(|ask| ask.fallback);
    // Where the state says it all, nothing is added.
    let fallback = fallback.filter(|_| approval.state != ApprovalState::DecidedElsewhere).map(Fallback::sentence);
    let closed = Closed::of(card.draft()).map(|closed| closed.reason.sentence());
    let fallback = fallback.or(closed);
    let head = view! {
        <State mark />
        {asked}
        {fallback.map(|why| view! { <span class="cap">{why}</span> })}
        {by.map(|by| view! { <span class="cap hide-narrow">{visible::html(&by).into_view()}</span> })}
        {rule.map(|rule| view! { <code class="cut hide-narrow">{visible::html(&rule).into_view()}</code> })}
        {risk(approval)}
    };
    if !more {
        return view! { <p class="line" data-state=state>{head}</p> }.into_any();
    }
    view! {
        <details class="card tool decided" data-state=state data-folded=card.at_a_glance().then_some("")>
            <summary>{head}</summary>
            {if card.at_a_glance() {
                view! { <Folded text=approval.to_markdown() /> }.into_any()
            } else {
                body(card, approval).into_any()
            }}
        </details>
    }
    .into_any()
}

/// Returns who decided, and where: `by you in the terminal`.
fn decided_by(approval: &approval::Approval) -> Option<String> {
    let decision = approval.decision.as_ref()?;
    if let Some(key) = &decision.reported_by {
        return Some(format!("reported by {key}"));
    }
    if decision.is_by_archive() {
        return Some(decided_in(BY_ARCHIVE));
    }
    if decision.by.as_deref() == Some(BY_RULE) {
        return Some("by your rule".to_owned());
    }
    if approval.state == ApprovalState::DecidedElsewhere {
        return None;
    }
    let via = decision.via.as_deref().map(decided_in);
    let by = decision.by.as_deref().map(|by| format!("by {}", if by == OWNER { "you" } else { by }));
    let parts: Vec<String> = by.into_iter().chain(via).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// Returns the subject of a body: the code at its start, otherwise its text.
fn begins_with(body: &str) -> String {
    let fenced = body.trim_start().strip_prefix("```").and_then(|fenced| fenced.split_once('\n'));
    fenced.map_or_else(|| unmarked::line(body), |(_, code)| code.split("\n```").next().unwrap_or(code).to_owned())
}

/// Where it was decided: `in the terminal`, `in Matrix`.
fn decided_in(via: &str) -> String {
    match via {
        "web" => "in the browser".to_owned(),
        "terminal" => "in the terminal".to_owned(),
        "chat" => "in a chat".to_owned(),
        "webhook" => "by webhook".to_owned(),
        BY_ARCHIVE => "according to the imported archive".to_owned(),
        kind => {
            let mut kind = kind.to_owned();
            kind.get_mut(..1).map(str::make_ascii_uppercase);
            format!("in {kind}")
        }
    }
}

/// Why a person said no.
fn refusal(card: &Card, approval: &approval::Approval, words: &str) -> AnyView {
    let decision = approval.decision.as_ref();
    let by = decision.and_then(|decision| decision.by.clone()).filter(|by| by != OWNER);
    let denied = match by {
        _ if decision.is_some_and(Decision::is_by_archive) => "Denied".to_owned(),
        Some(by) => format!("{by} denied"),
        None => "You denied".to_owned(),
    };
    let what = match approval.kind {
        ApprovalKind::Permission => one_line(&approval.title, 120),
        ApprovalKind::Plan => "this plan".to_owned(),
        ApprovalKind::Question => "this question".to_owned(),
        ApprovalKind::Form => "this form".to_owned(),
    };
    let via = approval.decision.as_ref().and_then(|decision| decision.via.as_deref());
    let via = via.map(|via| format!(" {} ", decided_in(via))).unwrap_or_default();
    let clamped = is_long(words) && !card.whole();
    view! {
        <div class="msg user refusal">
            <Acts card=card.clone() />
            <p class="cap">
                <State mark=Mark::new("denied", Glyph::CUT, denied) />
                " "
                <span class="mut">{visible::phrase(&what).into_view()}</span>
                {via}
                {risk(approval)}
            </p>
            <blockquote class=if clamped { "prose clamp" } else { "prose" }>{card.typed(words).into_view()}</blockquote>
            {clamped.then(|| view! { <ShowAll label="Show all".to_owned() /> })}
        </div>
    }
    .into_any()
}

/// Returns the mark of the state. Only a permission looks like one.
fn mark(approval: &approval::Approval) -> Mark {
    match approval.state {
        ApprovalState::AllowedOnce if approval.kind == ApprovalKind::Plan => {
            Mark::new("allowed", Glyph::DONE, "Approved")
        }
        ApprovalState::AllowedOnce => Mark::new("allowed", Glyph::DONE, "Allowed once"),
        ApprovalState::AllowedAlways => Mark::new("allowed", Glyph::DONE, "Always allowed"),
        ApprovalState::Answered => Mark::new("done", Glyph::CHECK, "Answered"),
        ApprovalState::Denied => Mark::new("denied", Glyph::CUT, "Denied"),
        ApprovalState::Open => Mark::new("needs", Glyph::NEEDS, "Needs you"),
        ApprovalState::Expired => Mark::new("idle", Glyph::CLOCK, "Expired"),
        ApprovalState::Cancelled => Mark::new("idle", Glyph::CUT, "Cancelled"),
        ApprovalState::Superseded => Mark::new("idle", Glyph::UNDO, "Superseded"),
        ApprovalState::DecidedElsewhere => Mark::new("idle", Glyph::EXIT, elsewhere(approval)),
    }
}

/// Words for a decision that a key reports. It isn't the reader's own, so it gets no mark of a yes.
fn elsewhere(approval: &approval::Approval) -> String {
    let decision = approval.decision.as_ref();
    if decision.is_some_and(|decision| decision.reported_by.is_none() && decision.via.as_deref() == Some("terminal")) {
        return "Answered in the agent's terminal".to_owned();
    }
    let decision = decision.filter(|decision| decision.reported_by.is_some());
    let Some(decision) = decision else { return "Decided elsewhere".to_owned() };
    let word = match decision.state {
        ApprovalState::AllowedOnce => "Allowed",
        ApprovalState::AllowedAlways => "Always allowed",
        ApprovalState::Denied => "Denied",
        ApprovalState::Answered => "Answered",
        _ => "Decided",
    };
    let place = if decision.via.as_deref() == Some("chat") { "in a chat" } else { "in the agent's terminal" };
    format!("{word} {place}")
}

pub(crate) fn risk(approval: &approval::Approval) -> Option<AnyView> {
    // Where nothing was decided, nothing was risked.
    if matches!(approval.state, ApprovalState::Expired | ApprovalState::Cancelled | ApprovalState::Superseded) {
        return None;
    }
    let risk = approval.risk.clone().filter(|risk| !risk.is_empty())?;
    let level = match risk.to_ascii_lowercase().as_str() {
        "high" => Some("high"),
        "medium" => Some("medium"),
        "low" => Some("low"),
        _ => None,
    };
    let mut word = risk.clone();
    word.get_mut(..1).map(str::make_ascii_uppercase);
    Some(
        view! { <span class="chip" data-risk=level>{exact::html(&word, Kind::Words).into_view()} " risk"</span> }
            .into_any(),
    )
}

fn body(card: &Card, approval: &approval::Approval) -> impl IntoView {
    let text = approval.body.as_deref().filter(|body| !body.trim().is_empty());
    let text = text.map(|body| view! { <div class="prose">{card.prose(body).into_view()}</div> });
    let title = (approval.state.is_open() && !fits_head(&approval.title))
        .then(|| view! { <p>{visible::phrase(&one_line(&approval.title, ASKED)).into_view()}</p> });
    let chosen: Vec<String> = approval.decision.iter().flat_map(|decision| decision.selected.clone()).collect();
    let questions: Vec<_> = approval.questions.iter().map(|question| questions(question, approval, &chosen)).collect();
    let fields: Vec<_> = approval
        .fields
        .iter()
        .map(|field| view! { <li>{visible::html(&field.label).into_view()} <span class="mut">{format!(" ({})", field.kind)}</span></li> })
        .collect();
    // Those of a refusal stand below, in the open; those of an answer under their question.
    let is_apart = approval.state != ApprovalState::Denied && !is_under_questions(approval);
    let own_words = said(approval).filter(|_| is_apart).map(str::to_owned);
    let others: Vec<_> = answers(approval)
        .filter(|answer| !approval.questions.iter().any(|question| is_of(answer, question)))
        .map(|answer| {
            let words = approval.answer_words(answer);
            view! {
                {answer.question.as_deref().map(|asked| view! { <p>{visible::phrase(asked).into_view()}</p> })}
                <p>{visible::html(&words).into_view()}</p>
            }
        })
        .collect();
    let edited = approval.decision.as_ref().and_then(|decision| decision.edited_input.clone());
    view! {
        <div class="body">
            {title} {text} {place(card, approval)} {questions} {(!fields.is_empty()).then(|| view! { <ul class="prose">{fields}</ul> })}
            {others}
            {own_words
                .map(|words| {
                    view! {
                        <p>
                            <span class="mut">"Answer: "</span>
                            {visible::html(&words).into_view()}
                        </p>
                    }
                })}
            {edited
                .map(|input| {
                    view! {
                        <div>
                            <p class="mut">"Changed input"</p>
                            {crate::json_tree::tree(&input).into_view()}
                        </div>
                    }
                })}
        </div>
    }
}

/// Where it would happen: that matters to whoever still decides on a permission.
fn place(card: &Card, approval: &approval::Approval) -> Option<AnyView> {
    let cwd = card.draft().origin.cwd.clone().filter(|cwd| !cwd.is_empty())?;
    (approval.kind == ApprovalKind::Permission && approval.state == ApprovalState::Open).then(|| {
        view! {
            <p class="facts">
                <span>"In " <b>{visible::html(&cwd).into_view()}</b></span>
            </p>
        }
        .into_any()
    })
}

fn questions(question: &Question, approval: &approval::Approval, chosen: &[String]) -> impl IntoView + use<> {
    // The head has it, or the line above.
    let told = question.question == approval.title && (!approval.state.is_open() || fits_head(&approval.title));
    let asked = (!told).then(|| view! { <p>{visible::phrase(&question.question).into_view()}</p> });
    let is_open = approval.state.is_open();
    let options: Vec<_> = question.options.iter().map(|choice| option(choice, chosen, is_open)).collect();
    let answer = answers(approval).find(|answer| is_of(answer, question));
    let part = |label: &'static str, words: Option<&str>| {
        let words = visible::html(words?).into_view();
        Some(view! { <p><span class="mut">{label}</span>{words}</p> })
    };
    let typed = part("Answer: ", answer.and_then(|answer| answer.text.as_deref()));
    let note = part("Note: ", answer.and_then(|answer| answer.note.as_deref()));
    view! {
        {asked}
        {(!options.is_empty())
            .then(|| {
                view! {
                    <ul class="options" role="list">
                        {options}
                    </ul>
                }
            })}
        {typed}
        {note}
    }
}

fn answers(approval: &approval::Approval) -> impl Iterator<Item = &Answer> {
    approval.decision.iter().flat_map(|decision| &decision.answers)
}

fn is_of(answer: &Answer, question: &Question) -> bool {
    answer.question.as_deref() == Some(&question.question)
}

/// Returns true if all typed text belongs to answers of questions.
fn is_under_questions(approval: &approval::Approval) -> bool {
    let typed: Vec<&str> = answers(approval).filter_map(|answer| answer.text.as_deref()).collect();
    !typed.is_empty() && said(approval) == Some(typed.join("\n").trim())
}

fn option(choice: &Choice, chosen: &[String], is_open: bool) -> impl IntoView + use<> {
    let is_chosen = chosen.contains(&choice.id);
    let (glyph, word) = match (is_chosen, is_open) {
        (true, _) => (Glyph::DONE, Some("Chosen")),
        (false, false) => (Glyph::IDLE, Some("Not chosen")),
        (false, true) => (Glyph::CHEV, None),
    };
    let icon = match word {
        Some(word) => view! { <Icon glyph label=word /> }.into_any(),
        None => view! { <Icon glyph /> }.into_any(),
    };
    view! {
        <li class="opt" data-chosen=is_chosen.then_some("")>
            {icon}
            <span>{visible::phrase(answer::label(choice)).into_view()}</span>
            {choice.description.as_deref().map(|words| view! { <small>{visible::phrase(words).into_view()}</small> })}
        </li>
    }
}

#[cfg(test)]
mod tests {
    use super::begins_with;

    #[test]
    fn a_body_is_about_its_code_or_its_words() {
        assert_eq!(begins_with("```sh\nrm -rf build\n```\n\nA **clean** build"), "rm -rf build");
        assert_eq!(begins_with("A **clean** build"), "A clean build");
        assert_eq!(begins_with("```"), "");
    }
}
