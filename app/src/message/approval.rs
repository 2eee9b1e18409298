//! APPROVAL: what waits for a person, to be read. A decided one folds to a line, but the words of a refusal stay.

use super::{
    Card,
    parts::{Acts, Folded, Mark, ShowAll, State},
    text::is_long,
};
use crate::clock::{Clock, moment};
use crate::icon::{Glyph, Icon};
use crate::unmarked;
use crate::visible;
use leptos::prelude::*;
use model::{
    Payload as _,
    message_type::approval::{
        self, Answer, ApprovalKind, ApprovalState, Choice, Field, FieldKind, OptionKind, Question,
    },
    text::one_line,
};

/// Whose store it is, as decisions name them: whoever reads this.
const OWNER: &str = "owner";
/// Where what a transcript's agent asks is answered.
pub(crate) const IN_ITS_TERMINAL: &str = "Answer it in the agent's terminal";
/// Options of a question that are buttons wherever it is named, and the characters of each.
const AT_ONCE: usize = 4;
const SHORT: usize = 40;
/// Characters of what was asked and of what was said in a decided one's line, and of those that its lines have room for.
const ASKED: usize = 240;
const SAID: usize = 400;
const FITS: usize = 110;

#[component]
pub fn Approval(card: Card, approval: approval::Approval) -> impl IntoView {
    if approval.state == ApprovalState::Open {
        open(&card, &approval).into_any()
    } else {
        decided(&card, &approval).into_any()
    }
}

/// What a person can still decide, as a form: `islands::decisions` sends it.
fn answer(card: &Card, approval: &approval::Approval) -> impl IntoView {
    let pick = |question: &Question| question.multi_select == Some(true);
    let one = matches!(approval.questions.as_slice(), [only] if !pick(only)) && approval.fields.is_empty();
    let several: Vec<_> = if one {
        Vec::new()
    } else {
        approval
            .questions
            .iter()
            .enumerate()
            .map(|(index, question)| choices(question, index, pick(question), &head(approval)))
            .collect()
    };
    let fields: Vec<_> = approval.fields.iter().map(field).collect();
    let text = approval.takes_words();
    let note = match approval.kind {
        ApprovalKind::Permission | ApprovalKind::Plan => Some("A note to the agent (optional)"),
        ApprovalKind::Question | ApprovalKind::Form => text.then_some("Your answer"),
    };
    let note = note.map(|label| {
        view! {
            <label class="answer-text">
                <span class="sr">{label}</span>
                <textarea name="text" dir="auto" rows="1" placeholder=label></textarea>
            </label>
        }
    });
    let only = approval.questions.first().filter(|_| one);
    // What is chosen waits for the button, so that words can go with it: a press on a ring sends nothing.
    let waits = |question: &Question| {
        let asks = matches!(approval.kind, ApprovalKind::Question | ApprovalKind::Form);
        asks && !question.options.is_empty() && (text || !is_plain(question))
    };
    let chosen = only.filter(|question| waits(question)).map(|question| choices(question, 0, false, &head(approval)));
    let pressed = only.filter(|question| !waits(question));
    let buttons = pressed.filter(|question| is_plain(question)).map(buttons).unwrap_or_default();
    let worded = pressed.filter(|question| !is_plain(question)).map(worded);
    let send = |label| button("state", "answered", label, "btn primary");
    let buttons = match (buttons.is_empty() && worded.is_none(), approval.kind) {
        _ if chosen.is_some() => vec![send("Send answer")],
        (false, _) => buttons,
        (true, kind @ (ApprovalKind::Permission | ApprovalKind::Plan)) => yes_or_no(kind),
        (true, ApprovalKind::Question | ApprovalKind::Form) => vec![send("Send")],
    };
    let asked = pressed.filter(|question| question.question != head(approval));
    let asked = asked.map(|question| view! { <p>{visible::phrase(&question.question).into_view()}</p> });
    view! {
        <form class="body answer" data-decide=card.draft().id.to_string() data-shown=card.entry.shown_sha256.clone()>
            <fieldset data-asks="" role="none">
            {asked} {chosen} {several} {worded} {fields} {note}
            <p class="cap" role="alert" data-problem="" hidden></p>
            <p class="cap fg-warn only-kept">"Can't be answered while offline"</p>
            <div class="actions">{buttons}</div>
            </fieldset>
        </form>
    }
}

/// Buttons that decide at once, if its title is all that there is to read and each answer is a press.
pub(crate) fn at_once(approval: &approval::Approval) -> Option<Vec<AnyView>> {
    let is_bare = approval.body.as_deref().is_none_or(|body| body.trim().is_empty()) && approval.fields.is_empty();
    match (approval.kind, approval.questions.as_slice()) {
        _ if !is_bare => None,
        (ApprovalKind::Permission, []) => Some(yes_or_no(approval.kind)),
        (ApprovalKind::Permission | ApprovalKind::Question, [only])
            if only.multi_select != Some(true)
                && is_plain(only)
                && (1..=AT_ONCE).contains(&only.options.len())
                && only.options.iter().all(|choice| label(choice).chars().count() <= SHORT) =>
        {
            Some(buttons(only))
        }
        _ => None,
    }
}

fn yes_or_no(kind: ApprovalKind) -> Vec<AnyView> {
    let yes = if kind == ApprovalKind::Plan { "Approve plan" } else { "Allow once" };
    vec![button("state", "denied", "Deny", "btn deny"), button("state", "allowed_once", yes, "btn allow")]
}

/// The options of one question as buttons: refusals at the left, what is pressed most at the right.
fn buttons(question: &Question) -> Vec<AnyView> {
    let mut choices: Vec<&Choice> = question.options.iter().collect();
    choices.sort_by_key(|choice| match choice.kind {
        Some(OptionKind::RejectOnce | OptionKind::RejectAlways) => 0,
        Some(OptionKind::AllowAlways) => 1,
        None => 2,
        Some(OptionKind::AllowOnce) => 3,
    });
    let class = |choice: &Choice| match choice.kind {
        Some(OptionKind::RejectOnce | OptionKind::RejectAlways) => "btn deny",
        Some(OptionKind::AllowOnce) => "btn allow",
        Some(OptionKind::AllowAlways) => "btn always",
        None => "btn",
    };
    choices.into_iter().map(|choice| button("option", &choice.id, label(choice), class(choice))).collect()
}

/// The same where options need more words than a button has room for: one below the other.
fn worded(question: &Question) -> impl IntoView + use<> {
    let options: Vec<_> = question
        .options
        .iter()
        .map(|choice| {
            view! {
                <button type="submit" class="opt" name="option" value=choice.id.clone()>
                    <span>{visible::phrase(label(choice)).into_view()}</span>
                    {choice.description.as_deref().map(|words| view! { <small>{visible::phrase(words).into_view()}</small> })}
                </button>
            }
        })
        .collect();
    view! { <div class="options" role="group" aria-label="Answers">{options}</div> }
}

fn button(name: &'static str, value: &str, label: &str, class: &'static str) -> AnyView {
    view! { <button type="submit" name=name value=value.to_owned() class=class><span>{visible::phrase(label).into_view()}</span></button> }.into_any()
}

fn label(choice: &Choice) -> &str {
    if choice.label.is_empty() { &choice.id } else { &choice.label }
}

/// The options of a question that are chosen before they are sent. What the head asks isn't asked again.
fn choices(question: &Question, index: usize, many: bool, head: &str) -> impl IntoView + use<> {
    let told = (question.question == head).then_some("sr");
    let kind = if many { "checkbox" } else { "radio" };
    let name = format!("option-{index}");
    let options: Vec<_> = question
        .options
        .iter()
        .map(|choice| {
            view! {
                <label>
                    <input type=kind class="tick" name=name.clone() value=choice.id.clone() />
                    <span>{visible::phrase(label(choice)).into_view()}</span>
                    {choice.description.as_deref().map(|words| view! { <small>{visible::phrase(words).into_view()}</small> })}
                </label>
            }
        })
        .collect();
    view! {
        <fieldset class="options">
            <legend class=told>{visible::phrase(&question.question).into_view()}</legend>
            {options}
        </fieldset>
    }
}

fn field(field: &Field) -> impl IntoView + use<> {
    let (name, label) = (format!("field-{}", field.id), field.label.clone());
    let required = field.required == Some(true);
    let input = match field.kind {
        FieldKind::Select => {
            let options: Vec<_> = field
                .options
                .iter()
                .flatten()
                .map(|word| view! { <option value=word.clone()>{visible::plain(word)}</option> })
                .collect();
            view! { <select name=name required=required><option value="">"Choose"</option>{options}</select> }
                .into_any()
        }
        FieldKind::Checkbox => {
            view! { <input type="checkbox" class="tick" name=name value="true" required=required /> }.into_any()
        }
        FieldKind::Number => {
            view! { <input type="number" step="any" name=name required=required data-number="" /> }.into_any()
        }
        FieldKind::Date => view! { <input type="date" name=name required=required /> }.into_any(),
        FieldKind::Text => view! { <input type="text" dir="auto" name=name required=required /> }.into_any(),
    };
    view! { <label class="answer-field"><span>{visible::html(&label).into_view()}{required.then_some(" *")}</span>{input}</label> }
}

/// What an open one's head asks, in full unless it is long.
fn head(approval: &approval::Approval) -> String {
    one_line(&approval.title, 120)
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
    let title = head(approval);
    view! {
        <section class="card approval" data-state=state tabindex="-1">
            <div class="head">
                <Icon glyph />
                <b>{word}</b>
                <span class="cut mut">{visible::phrase(&title).into_view()}</span>
                <span class="sp"></span>
                {risk(approval)}
                {moment(&Clock::utc(card.options.now), card.draft().created_at, "cap")}
            </div>
            {body(card, approval)}
            {card.options.answers.then(|| answer(card, approval))}
            {(!card.options.answers && card.is_observed())
                .then(|| view! { <p class="line note-line">{IN_ITS_TERMINAL}</p> })}
        </section>
    }
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

/// What a person said in their own words.
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
    let by = approval.decision.as_ref().and_then(|decision| {
        let via = decision.via.as_deref().map(|via| format!("in the {via}"));
        let by = decision.by.as_deref().map(|by| format!("by {}", if by == OWNER { "you" } else { by }));
        let parts: Vec<String> = by.into_iter().chain(via).collect();
        (!parts.is_empty()).then(|| parts.join(" "))
    });
    let refused = approval.state == ApprovalState::Denied;
    let of_permission = approval.kind == ApprovalKind::Permission;
    // What was allowed is said by the state; a word beside it by nothing else.
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
    // What the line says in full needs nothing to unfold.
    let is_told = shown && answer.chars().count() <= FITS;
    let more = (words.is_some() && !is_told) || holds_more(approval, shown);
    let head = view! {
        <State mark />
        {asked}
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

/// What a body is about: the code that it begins with, else its words.
fn begins_with(body: &str) -> String {
    let fenced = body.trim_start().strip_prefix("```").and_then(|fenced| fenced.split_once('\n'));
    fenced.map_or_else(|| unmarked::line(body), |(_, code)| code.split("\n```").next().unwrap_or(code).to_owned())
}

/// Why a person said no.
fn refusal(card: &Card, approval: &approval::Approval, words: &str) -> AnyView {
    let by = approval.decision.as_ref().and_then(|decision| decision.by.clone()).filter(|by| by != OWNER);
    let by = by.unwrap_or_else(|| "You".to_owned());
    let what = match approval.kind {
        ApprovalKind::Permission => one_line(&approval.title, 120),
        ApprovalKind::Plan => "this plan".to_owned(),
        ApprovalKind::Question => "this question".to_owned(),
        ApprovalKind::Form => "this form".to_owned(),
    };
    let via = approval.decision.as_ref().and_then(|decision| decision.via.as_deref());
    let via = via.map(|via| format!(" in the {via} ")).unwrap_or_default();
    let clamped = is_long(words) && !card.whole();
    view! {
        <div class="msg user refusal">
            <Acts card=card.clone() />
            <p class="cap">
                <State mark=Mark::new("denied", Glyph::CUT, format!("{by} denied")) />
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

/// What became of it. A state that isn't a yes never looks like one.
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
        ApprovalState::DecidedElsewhere => Mark::new("idle", Glyph::EXIT, "Decided elsewhere"),
    }
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
    Some(view! { <span class="chip" data-risk=level>{format!("{word} risk")}</span> }.into_any())
}

fn body(card: &Card, approval: &approval::Approval) -> impl IntoView {
    let text = approval.body.as_deref().filter(|body| !body.trim().is_empty());
    let text = text.map(|body| view! { <div class="prose">{card.prose(body).into_view()}</div> });
    let chosen: Vec<String> = approval.decision.iter().flat_map(|decision| decision.selected.clone()).collect();
    // What the form asks isn't told twice.
    let asks = approval.state == ApprovalState::Open && card.options.answers;
    let questions: Vec<_> =
        approval.questions.iter().filter(|_| !asks).map(|question| questions(question, approval, &chosen)).collect();
    let fields: Vec<_> = approval
        .fields
        .iter()
        .filter(|_| !asks)
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
            {text} {place(card, approval)} {questions} {(!fields.is_empty()).then(|| view! { <ul class="prose">{fields}</ul> })}
            {others}
            {own_words
                .map(|words| {
                    view! {
                        <p>
                            <span class="mut">"In their own words: "</span>
                            {visible::html(&words).into_view()}
                        </p>
                    }
                })}
            {edited
                .map(|input| {
                    view! {
                        <div>
                            <p class="mut">"Input as it was changed"</p>
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

/// Are the words of its options all there is to say of them?
fn is_plain(question: &Question) -> bool {
    question.options.iter().all(|choice| choice.description.is_none())
}

fn questions(question: &Question, approval: &approval::Approval, chosen: &[String]) -> impl IntoView + use<> {
    // The head has it, or the line above.
    let is_open = approval.state == ApprovalState::Open;
    let told = if is_open { question.question == head(approval) } else { question.question == approval.title };
    let asked = (!told).then(|| view! { <p>{visible::phrase(&question.question).into_view()}</p> });
    let options: Vec<_> = question.options.iter().map(|choice| option(choice, chosen)).collect();
    let answer = answers(approval).find(|answer| is_of(answer, question));
    let part = |label: &'static str, words: Option<&str>| {
        let words = visible::html(words?).into_view();
        Some(view! { <p><span class="mut">{label}</span>{words}</p> })
    };
    let typed = part("In their own words: ", answer.and_then(|answer| answer.text.as_deref()));
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

/// Is all that a person typed part of an answer?
fn is_under_questions(approval: &approval::Approval) -> bool {
    let typed: Vec<&str> = answers(approval).filter_map(|answer| answer.text.as_deref()).collect();
    !typed.is_empty() && said(approval) == Some(typed.join("\n").trim())
}

fn option(choice: &Choice, chosen: &[String]) -> impl IntoView + use<> {
    let is_chosen = chosen.contains(&choice.id);
    let (glyph, word) = if is_chosen { (Glyph::DONE, "Chosen") } else { (Glyph::IDLE, "Not chosen") };
    view! {
        <li class="opt" data-chosen=is_chosen.then_some("")>
            <Icon glyph label=word />
            <span>{visible::phrase(label(choice)).into_view()}</span>
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
